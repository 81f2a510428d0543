package io.sifr.internal.state;

import io.sifr.event.LatencySummary;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.forest.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The waste of a database's reads on having more than one tree: the credit of compactions that are
 * done for readers ({@link io.sifr.internal.compaction.pick.Reads}). In bytes that a compaction
 * writes in the CPU time that was wasted, at 150 MB a second. Beside it, what was flushed, which
 * pays for compactions in an idle store, before there are reads. Not stored.
 *
 * <p>Of the reads one in {@value #SAMPLED_ONE_IN} is counted, as so many. What it adds goes to one
 * of several cells ({@link LongAdder}), so readers share no word that they write.
 *
 * <p>Thread-safe.
 */
public final class WastedReads {
  /** One read in so many is counted: gets are when their latency is measured. */
  static final int SAMPLED_ONE_IN = LatencySummary.SAMPLED_ONE_IN;

  /** To find the SST of a tree and check its filter in vain takes a get some 0.12 µs. */
  static final int BYTES_PER_TREE = 18;

  /** To search a block in vain, mostly because there is no filter, takes some 1.7 µs. */
  static final int BYTES_PER_BLOCK = 250;

  /** To position the iterator of one more tree takes a seek some 2 µs. */
  static final int BYTES_PER_SEEK = 300;

  /**
   * The credit that a flushed byte takes: about what the policy will write because of it. Trees
   * that are compacted for readers while much is written would soon be compacted again.
   */
  static final int BYTES_PER_FLUSHED_BYTE = 4;

  /**
   * With less credit nobody looks for keys that are read much more than others: their compaction
   * would be less than an SST.
   */
  private static final long LEAST_LOOK = 64 << 10;

  /** The growth of the credit from one such look to the next: a quarter. */
  private static final int LOOK_AGAIN = 4;

  private final LongAdder wasted = new LongAdder();
  private final Keys keys = new Keys();

  /** The credit at the last look for keys that are read much. Guarded by this. */
  private long looked;

  /** The part of {@link #wasted} that is no credit any more. Guarded by this. */
  private long used;

  /** Bytes that were flushed since trees were last compacted in an idle store. Guarded by this. */
  private long flushed;

  /** At which value of {@link #wasted} something is to be run, once. */
  private record Alarm(long at, Runnable action) {}

  private final AtomicReference<@Nullable Alarm> alarm = new AtomicReference<>();

  /** Draws whether a read that has ended is counted. */
  private static boolean isSampled() {
    return ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0;
  }

  /** Counts a get that has ended, if it is drawn. */
  public void sample(Lookup get) {
    if (get.searchedTrees() > 1 && isSampled()) {
      got(get);
    }
  }

  /** Counts a get that was drawn. */
  public void got(Lookup get) {
    long inTrees = (long) BYTES_PER_TREE * Math.max(0, get.searchedTrees() - 1);
    long inBlocks = (long) BYTES_PER_BLOCK * Math.max(0, get.searchedBlocks() - 1);
    keys.add(get.key(), get.keyOffset(), get.keyLength(), inTrees + inBlocks);
    add(inTrees + inBlocks);
  }

  /**
   * Counts a seek of a cursor that was drawn.
   *
   * @param trees that it has positioned an iterator in
   */
  public void sought(int trees) {
    add(wastedBySeek(trees));
  }

  /**
   * As above.
   *
   * @param key begins with the key that it has arrived at
   * @param length of that key
   */
  public void sought(int trees, byte[] key, int length) {
    keys.add(key, 0, length, wastedBySeek(trees));
    sought(trees);
  }

  private static long wastedBySeek(int trees) {
    return (long) BYTES_PER_SEEK * Math.max(0, trees - 1);
  }

  private void add(long bytes) {
    if (bytes > 0) {
      wasted.add(SAMPLED_ONE_IN * bytes);
      Alarm set = alarm.get();
      if (set != null && wasted.sum() >= set.at() && alarm.compareAndSet(set, null)) {
        set.action().run();
      }
    }
  }

  /** Keys of reads, drawn in proportion to what these have wasted lately; ascending. */
  public List<byte[]> keys() {
    return keys.sorted();
  }

  /** Whether it is time to look for keys that are read much more than others. */
  public synchronized boolean isToBeLookedAt() {
    return credit() >= nextLook();
  }

  /** There were none now. */
  public synchronized void looked() {
    looked = credit();
  }

  /** The credit with which it is time to look again. */
  public synchronized long nextLook() {
    return Math.max(LEAST_LOOK, looked + looked / LOOK_AGAIN);
  }

  /** What was wasted on keys of these key ranges is over: they are going to be compacted. */
  public void merged(List<KeySpan> spans) {
    spans.forEach(keys::forget);
  }

  /** So many bytes of new data were flushed. */
  public synchronized void flushed(long bytes) {
    flushed += bytes;
    use(bytes * BYTES_PER_FLUSHED_BYTE);
  }

  /** Bytes that were flushed since the last compaction in an idle store, or since it was opened. */
  public synchronized long flushed() {
    return flushed;
  }

  /** Trees are going to be compacted because the store is idle. */
  public synchronized void mergedWhenIdle() {
    flushed = 0;
  }

  /** What was wasted and not used up yet, in bytes; not negative. */
  public synchronized long credit() {
    return wasted.sum() - used;
  }

  /** Takes of the credit, at most all of it. */
  public synchronized void use(long bytes) {
    used = Math.min(wasted.sum(), used + bytes);
    looked = Math.min(looked, credit());
  }

  /**
   * Has something run by the read with which the credit reaches a value, once; replaces what was
   * requested before. It must not wait for anything.
   *
   * @param credit {@link Long#MAX_VALUE}: never
   */
  public synchronized void whenReached(long credit, Runnable action) {
    alarm.set(credit == Long.MAX_VALUE ? null : new Alarm(used + credit, action));
  }

  /**
   * A sample of the keys of reads, drawn in proportion to what each read has wasted. A new key
   * takes the place of any of the others, so that the sample follows what is read now. Takes no
   * memory before the first key. Thread-safe.
   */
  private static final class Keys {
    private static final int MOST = 128;

    /** Of each so many wasted bytes about one key is kept. */
    private static final int BYTES_PER_KEY = 128;

    /** Of longer keys only the beginning is kept. */
    private static final int MOST_KEY_BYTES = 64;

    private volatile @Nullable AtomicReferenceArray<byte[]> keys;

    /** Draws whether the key of a read is kept. */
    void add(byte[] key, int offset, int length, long wastedBytes) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      if (random.nextInt(BYTES_PER_KEY) < wastedBytes) {
        int end = offset + Math.min(length, MOST_KEY_BYTES);
        array().set(random.nextInt(MOST), Arrays.copyOfRange(key, offset, end));
      }
    }

    private AtomicReferenceArray<byte[]> array() {
      AtomicReferenceArray<byte[]> known = keys;
      return known == null ? newArray() : known;
    }

    private synchronized AtomicReferenceArray<byte[]> newArray() {
      AtomicReferenceArray<byte[]> known = keys;
      if (known == null) {
        known = new AtomicReferenceArray<>(MOST);
        keys = known;
      }
      return known;
    }

    /** The keys, ascending; with duplicates if one is read often. */
    List<byte[]> sorted() {
      AtomicReferenceArray<byte[]> known = keys;
      List<byte[]> sorted = new ArrayList<>();
      for (int i = 0; known != null && i < MOST; i++) {
        byte[] key = known.get(i);
        if (key != null) {
          sorted.add(key);
        }
      }
      sorted.sort(Arrays::compareUnsigned);
      return sorted;
    }

    /** Forgets the keys of a key range. */
    void forget(KeySpan span) {
      AtomicReferenceArray<byte[]> known = keys;
      for (int i = 0; known != null && i < MOST; i++) {
        byte[] key = known.get(i);
        if (key != null && span.contains(key, key)) {
          known.set(i, null);
        }
      }
    }
  }
}
