package io.sifr.internal.memtable;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest versions of the keys of a range in a memtable: of all keys if there are few; else of
 * those in leaves at equal distances, each of which stands for several. Takes the time of visiting
 * all leaves of the range.
 */
public final class MemtableSample {
  /** Leaves that are examined, at most; a leaf has 7 to 14 entries. */
  private static final int MOST_LEAVES = 256;

  private final MemtableIterator iterator;
  private final byte[] from;
  private final byte @Nullable [] to;
  private final List<Version> versions = new ArrayList<>();
  private long leaves;
  private long examined;

  /**
   * The newest version of a key.
   *
   * @param trailer its sequence number and its kind
   * @param valueLength bytes of its value
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Version(byte[] key, long trailer, int valueLength) {}

  private MemtableSample(MemtableIterator iterator, byte[] from, byte @Nullable [] to) {
    this.iterator = iterator;
    this.from = from;
    this.to = to;
  }

  /**
   * The sample of what a memtable holds from a key on.
   *
   * @param to the key before which it ends; null: it has no end
   */
  static MemtableSample of(MemtableIterator iterator, byte[] from, byte @Nullable [] to) {
    MemtableSample sample = new MemtableSample(iterator, from, to);
    long all = 0;
    for (boolean live = sample.begin(); live; live = sample.nextLeaf()) {
      all++;
    }
    long step = Math.max(1, (all + MOST_LEAVES - 1) / MOST_LEAVES);
    for (boolean live = sample.begin(); live; live = sample.nextLeaf()) {
      if (sample.leaves % step == 0) {
        sample.examineLeaf();
      }
      sample.leaves++;
    }
    return sample;
  }

  private boolean begin() {
    return iterator.seek(from, 0, from.length, Trailer.seek(Trailer.MAX_SEQUENCE)) && isInRange();
  }

  private boolean nextLeaf() {
    return iterator.nextLeaf() && isInRange();
  }

  private boolean isInRange() {
    return to == null || compareKey(to) < 0;
  }

  private int compareKey(byte[] other) {
    return Bytes.compare(
        iterator.keyArray(), iterator.keyOffset(), iterator.keyLength(), other, 0, other.length);
  }

  private void examineLeaf() {
    examined++;
    for (int left = iterator.leftInLeaf(); left > 0 && isInRange(); left--) {
      int last = versions.size() - 1;
      if (last < 0 || compareKey(versions.get(last).key()) != 0) {
        int at = iterator.keyOffset();
        byte[] key = Arrays.copyOfRange(iterator.keyArray(), at, at + iterator.keyLength());
        versions.add(new Version(key, iterator.trailer(), iterator.valueLength()));
      }
      if (left > 1) {
        iterator.next();
      }
    }
  }

  /** The versions, in the order of their keys. */
  public List<Version> versions() {
    return versions;
  }

  /** For how many keys each of them stands. */
  public double weight() {
    return examined == 0 ? 0 : (double) leaves / examined;
  }
}
