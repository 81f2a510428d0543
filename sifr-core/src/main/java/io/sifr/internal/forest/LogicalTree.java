package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstMeta;
import io.sifr.internal.sst.SstRun;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A global index over SSTs of disjoint key ranges in ascending order (TPDS §4.1). Immutable; safe
 * for any thread.
 *
 * <p>Which SST may hold a key is found by a binary search over eight bytes of each smallest key,
 * taken behind the prefix that all keys of the tree share; whole keys are compared only where those
 * are equal.
 */
public final class LogicalTree implements SstRun {
  private final long id;
  private final List<Sst> ssts;
  private final byte[] sharedPrefix;
  private final long[] fences;
  private final long bytes;
  private final long entries;

  /**
   * @param id number of the tree, unique in the store
   * @param ssts its SSTs, disjoint and ascending
   * @throws IllegalArgumentException when they are not, or an SST ends before it begins
   */
  public LogicalTree(long id, List<Sst> ssts) {
    this.id = id;
    this.ssts = List.copyOf(ssts);
    checkDisjointAndAscending();
    this.sharedPrefix = sharedPrefix();
    this.fences = new long[ssts.size()];
    long byteSum = 0;
    long entrySum = 0;
    for (int i = 0; i < fences.length; i++) {
      SstMeta meta = ssts.get(i).meta();
      fences[i] = behindSharedPrefix(meta.smallestKey(), 0, meta.smallestKey().length);
      byteSum += meta.fileBytes();
      entrySum += meta.entries();
    }
    this.bytes = byteSum;
    this.entries = entrySum;
  }

  private void checkDisjointAndAscending() {
    for (int i = 0; i < ssts.size(); i++) {
      SstMeta meta = ssts.get(i).meta();
      if (Arrays.compareUnsigned(meta.smallestKey(), meta.largestKey()) > 0) {
        throw new IllegalArgumentException(
            "tree " + id + ": SST " + meta.number() + " ends before it begins");
      }
      if (i > 0 && beginsAtOrBefore(i, ssts.get(i - 1).meta().largestKey())) {
        throw new IllegalArgumentException(
            String.format(
                "tree %d: SST %d does not lie behind SST %d",
                id, meta.number(), ssts.get(i - 1).number()));
      }
    }
  }

  private byte[] sharedPrefix() {
    if (ssts.isEmpty()) {
      return Bytes.EMPTY;
    }
    byte[] smallest = ssts.get(0).meta().smallestKey();
    byte[] largest = ssts.get(ssts.size() - 1).meta().largestKey();
    int shared = Bytes.commonPrefix(smallest, 0, smallest.length, largest, 0, largest.length);
    return Arrays.copyOf(smallest, shared);
  }

  private long behindSharedPrefix(byte[] key, int offset, int length) {
    return Bytes.prefix(key, offset + sharedPrefix.length, length - sharedPrefix.length);
  }

  /** Number of the tree, unique in the store. */
  public long id() {
    return id;
  }

  @Override
  public List<Sst> ssts() {
    return ssts;
  }

  /** Bytes of all its files. */
  public long bytes() {
    return bytes;
  }

  /** Entries in all its SSTs, tombstones and shadowed versions included. */
  public long entries() {
    return entries;
  }

  /** The one SST that may hold the key, or null when none can. */
  public @Nullable Sst find(byte[] key, int offset, int length) {
    int index = lastBeginningAtOrBefore(key, offset, length);
    if (index < 0) {
      return null;
    }
    Sst sst = ssts.get(index);
    byte[] largest = sst.meta().largestKey();
    return Bytes.compare(key, offset, length, largest, 0, largest.length) <= 0 ? sst : null;
  }

  @Override
  public int firstEndingAtOrBehind(byte[] key, int offset, int length) {
    int index = lastBeginningAtOrBefore(key, offset, length);
    if (index < 0) {
      return 0;
    }
    byte[] largest = ssts.get(index).meta().largestKey();
    return Bytes.compare(key, offset, length, largest, 0, largest.length) <= 0 ? index : index + 1;
  }

  @Override
  public int lastBeginningAtOrBefore(byte[] key, int offset, int length) {
    int shared = sharedPrefix.length;
    if (shared > 0) {
      int order = Bytes.compare(key, offset, Math.min(length, shared), sharedPrefix, 0, shared);
      if (order != 0) {
        return order < 0 ? -1 : ssts.size() - 1;
      }
    }
    long wanted = behindSharedPrefix(key, offset, length);
    int low = 0;
    int high = fences.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (beginsAtOrBefore(middle, wanted, key, offset, length)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * Whole keys are compared within the search, not behind it: one stray key can make the fences of
   * all other SSTs equal, and walking through those would cost as many comparisons as there are
   * SSTs.
   */
  private boolean beginsAtOrBefore(int index, long wanted, byte[] key, int offset, int length) {
    long fence = fences[index];
    if (fence != wanted) {
      return Long.compareUnsigned(fence, wanted) < 0;
    }
    byte[] smallest = ssts.get(index).meta().smallestKey();
    return Bytes.compare(smallest, 0, smallest.length, key, offset, length) <= 0;
  }

  private boolean beginsAtOrBefore(int index, byte[] key) {
    return Arrays.compareUnsigned(ssts.get(index).meta().smallestKey(), key) <= 0;
  }

  /** Whether an SST of the tree may hold the key. */
  public boolean mayHold(byte[] key, int offset, int length) {
    return find(key, offset, length) != null;
  }

  @Override
  public String toString() {
    return "tree " + id + ssts.stream().map(Sst::number).toList();
  }
}
