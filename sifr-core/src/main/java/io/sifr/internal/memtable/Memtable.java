package io.sifr.internal.memtable;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.NewerEntries;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.entry.range.TombstonePlace;
import io.sifr.internal.memtable.EntryTree.NodeArena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest entries of a database: sorted, in memory, bounded in bytes.
 *
 * <p>One thread at a time may call {@link #add} and {@link #deleteRange}; the caller ensures this,
 * and that each writer sees the changes of the previous one, by holding the store's write lock. Any
 * number of threads read concurrently, without locks and without waiting: a read finds every entry
 * whose {@code add} had returned when the read began, and never half of one. A read returns arrays
 * of the memtable itself; their content never changes and stays valid for as long as it is
 * referenced.
 *
 * <p>Entries lie in a few large arrays, and so does the tree over them (see {@link EntryTree}):
 * there is no object per entry. Range tombstones are kept beside them: few, and replaced as a whole
 * by the writer.
 */
public final class Memtable {
  /** Largest capacity. */
  public static final long MAX_CAPACITY_BYTES = 1L << 31;

  /**
   * Bytes charged per entry for the tree. It takes 46 bytes per entry in random order, 34 in
   * descending and 15 in ascending order. The worst order could take 80 (a split makes two nodes of
   * 192 bytes and needs seven new entries in one leaf, and inner nodes add at most two fifths of
   * that), but a charge that no real load reaches would only make memtables smaller than they may
   * be.
   */
  private static final int TREE_BYTES = 48;

  /**
   * A memtable with this much of range tombstones is full: from time to time adding one copies all
   * that are there.
   */
  private static final long MAX_TOMBSTONE_BYTES = 1 << 20;

  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int ENTRIES = 0;
  private static final int BYTES_USED = 1;
  private static final int MAX_SEQUENCE = 2;

  private final long capacityBytes;
  private final MemtableMemory memory;
  private final EntryTree tree;
  private final TreeWriter writer;
  // Written only by the writer, with release, after the entry they count.
  private final long[] counts = new long[3];

  /** Used by the writer alone, as long as there is one. */
  private long minSequence = Long.MAX_VALUE;

  private volatile @Nullable MemtableTombstones tombstones;

  /** True if it was requested. */
  private volatile boolean tracksNewest;

  /** The tombstones that the writer has still to show. */
  private final List<RangeTombstones> hiddenTombstones = new ArrayList<>(1);

  /** The bytes of the tree when its memory was last charged. Used by the writer alone. */
  private long chargedForTree;

  /** Bytes of {@link #memory} that this memtable takes. Written under this. */
  private volatile long allocatedBytes;

  /** True if it waits for its flush. Guarded by this. */
  private boolean waiting;

  /** Creates an empty memtable that shares its memory with no other. */
  public Memtable(long capacityBytes) {
    this(capacityBytes, new MemtableMemory(Long.MAX_VALUE));
  }

  /**
   * Creates an empty memtable.
   *
   * @param capacityBytes largest sum of the {@link #footprint footprints} of its entries, 1 to
   *     {@link #MAX_CAPACITY_BYTES}; memory is allocated as it fills, first a little, then a
   *     megabyte at a time
   * @param memory to which its arrays are charged until {@link #release}
   */
  public Memtable(long capacityBytes, MemtableMemory memory) {
    if (capacityBytes < 1 || capacityBytes > MAX_CAPACITY_BYTES) {
      throw new IllegalArgumentException(
          "capacityBytes is " + capacityBytes + "; allowed: 1 to " + MAX_CAPACITY_BYTES);
    }
    this.capacityBytes = capacityBytes;
    this.memory = memory;
    tree = new EntryTree(capacityBytes);
    writer = new TreeWriter(tree);
  }

  /** Bytes an entry is charged: its key, its value, and its share of the tree. */
  public static long footprint(int keyLength, int valueLength) {
    return EntryArena.size(keyLength, valueLength) + TREE_BYTES;
  }

  /** Bytes a range tombstone is charged, at least, while it overlaps no other. */
  public static long rangeFootprint(byte[] from, byte @Nullable [] to) {
    return RangeTombstones.of(from, to, 1).bytes();
  }

  /** Whether what has these footprints in all can still be added. */
  public boolean hasRoom(long bytes) {
    return bytes <= capacityBytes - bytesUsed() && tombstoneBytes() < MAX_TOMBSTONE_BYTES;
  }

  /**
   * Adds an entry, visible to all reads that begin after the return. Key and value are copied.
   *
   * @throws IllegalArgumentException when the key or the value is too long
   * @throws IllegalStateException when its {@link #footprint} exceeds what is left; in this case,
   *     as after an {@link OutOfMemoryError}, nothing has changed
   */
  public void add(
      long trailer,
      byte[] keyArray,
      int keyOffset,
      int keyLength,
      byte[] valueArray,
      int valueOffset,
      int valueLength) {
    checkLength("key", keyLength, EntryLimits.MAX_KEY_BYTES);
    checkLength("value", valueLength, EntryLimits.MAX_VALUE_BYTES);
    long footprint = footprint(keyLength, valueLength);
    if (footprint > capacityBytes - bytesUsed()) {
      throw new IllegalStateException(
          "the memtable has " + (capacityBytes - bytesUsed()) + " bytes left, not " + footprint);
    }
    if (tracksNewest) {
      writer.track(counts[MAX_SEQUENCE]);
    }
    writer.reserve();
    int entry =
        tree.entries.append(
            trailer, keyArray, keyOffset, keyLength, valueArray, valueOffset, valueLength);
    writer.insert(entry);
    if (tree.allocatedBytes() != chargedForTree) {
      chargedForTree = tree.allocatedBytes();
      charge(chargedForTree + tombstoneBytes());
    }
    raise(ENTRIES, 1);
    raise(BYTES_USED, footprint);
    noteSequence(Trailer.sequence(trailer));
  }

  /**
   * Adds a range tombstone, which reads see from the next {@link #showRangeDeletes} on. There is
   * always room for it, but for one that overlaps many others less may be left than before, by more
   * than its {@link #rangeFootprint}.
   *
   * @param from the first key; belongs to the memtable from now on, as does the next one
   * @param to the key after the last one, larger than the first; null: there is none
   * @param sequence larger than all before
   */
  public void deleteRange(byte[] from, byte @Nullable [] to, long sequence) {
    writer.track(counts[MAX_SEQUENCE]);
    hiddenTombstones.add(RangeTombstones.of(from, to, sequence));
    noteSequence(sequence);
  }

  /**
   * Shows the range tombstones that were added, all at once: those of a batch, so that many of them
   * cost little more than one.
   */
  public void showRangeDeletes() {
    if (hiddenTombstones.isEmpty()) {
      return;
    }
    long before = tombstoneBytes();
    MemtableTombstones all =
        MemtableTombstones.of(tombstones, RangeTombstones.newestOf(hiddenTombstones));
    hiddenTombstones.clear();
    charge(chargedForTree + all.bytes());
    raise(BYTES_USED, Math.max(0, all.bytes() - before));
    tombstones = all;
  }

  /**
   * The range tombstones; null when there are none. May copy all of them, so reads use {@link
   * #tombstonePlace}.
   */
  public @Nullable RangeTombstones rangeTombstones() {
    MemtableTombstones ranges = tombstones;
    return ranges == null ? null : ranges.whole();
  }

  /** The range tombstones that there are now, for reads; null when there are none. */
  public @Nullable TombstonePlace tombstonePlace() {
    return tombstones;
  }

  /** What the range tombstones take in memory, in bytes. */
  public long tombstoneBytes() {
    MemtableTombstones ranges = tombstones;
    return ranges == null ? 0 : ranges.bytes();
  }

  /** Number of fragments of range tombstones; some may be parts of the same. */
  public long tombstoneCount() {
    MemtableTombstones ranges = tombstones;
    return ranges == null ? 0 : ranges.count();
  }

  private synchronized void charge(long bytes) {
    memory.addUsed(bytes - allocatedBytes);
    allocatedBytes = bytes;
  }

  /**
   * Notes that nothing is added any more and that it waits for its flush, which may even have ended
   * already.
   */
  public synchronized void awaitFlush() {
    memory.addWaiting(allocatedBytes);
    waiting = true;
  }

  /**
   * Notes that its memory is free, or will be when its last reader has finished. Nothing is added
   * any more. Without effect when it was called before.
   */
  public synchronized void release() {
    long waited = waiting ? allocatedBytes : 0;
    waiting = false;
    charge(0); // first, so that it does not count as written to
    memory.addWaiting(-waited);
  }

  private static void checkLength(String what, int length, int max) {
    if (length < 0 || length > max) {
      throw new IllegalArgumentException(
          "the " + what + " has " + length + " bytes; allowed: 0 to " + max);
    }
  }

  private void noteSequence(long sequence) {
    if (sequence < minSequence) {
      minSequence = sequence;
    }
    raise(MAX_SEQUENCE, Math.max(0, sequence - counts[MAX_SEQUENCE]));
  }

  private void raise(int count, long by) {
    COUNTS.setRelease(counts, count, counts[count] + by);
  }

  private long count(int count) {
    return (long) COUNTS.getAcquire(counts, count);
  }

  /**
   * Finds the newest version of a key whose sequence number is at most {@code maxSequence}; a
   * tombstone counts as found, and so does a range tombstone that covers the key.
   *
   * @return whether there is one; only then is {@code into} changed
   */
  public boolean get(byte[] key, int offset, int length, long maxSequence, Lookup into) {
    MemtableTombstones ranges = tombstones;
    return ranges == null
        ? tree.get(key, offset, length, maxSequence, into)
        : getFrom(ranges, key, offset, length, maxSequence, into);
  }

  private boolean getFrom(
      MemtableTombstones ranges,
      byte[] key,
      int offset,
      int length,
      long maxSequence,
      Lookup into) {
    long deleted = ranges.newestCovering(key, offset, length, maxSequence);
    boolean isFound = tree.get(key, offset, length, maxSequence, into);
    if (deleted == 0 || (isFound && into.sequence() > deleted)) {
      return isFound;
    }
    into.set(deleted, null);
    return true;
  }

  /**
   * A key of a range with a version, or a range tombstone that covers it, whose sequence number is
   * larger than one; null when there is none. Quick if {@link #trackNewest} was called before that
   * number was reached; otherwise it may take time in proportion to the entries in the range.
   *
   * @param to the key after the last one of the range; null: there is none
   */
  public byte @Nullable [] changedIn(byte[] from, byte @Nullable [] to, long since) {
    if (maxSequence() <= since) {
      return null;
    }
    MemtableTombstones ranges = tombstones;
    byte[] covered = ranges == null ? null : ranges.covered(from, to, since);
    if (covered != null) {
      return covered;
    }
    return NewerEntries.firstKey(iterator(), from, to, since);
  }

  /**
   * Requests the writer to keep track of where the newest entries are, so that iterators can pass
   * over older ones ({@link EntryIterator#nextFrom}). Any thread may call it.
   */
  public void trackNewest() {
    if (!tracksNewest) {
      tracksNewest = true;
    }
  }

  /** An iterator over the entries. It may or may not return entries added after its last seek. */
  public EntryIterator iterator() {
    return new MemtableIterator(tree);
  }

  /** All entries in order, once no more are added. */
  public MemtableScan scan() {
    return new MemtableScan(tree, Math.toIntExact(entries()));
  }

  /**
   * Some of the keys from {@code from} on, for an estimate.
   *
   * @param to the key before which they end; null: they have no end
   */
  public MemtableSample sample(byte[] from, byte @Nullable [] to) {
    return MemtableSample.of(new MemtableIterator(tree), from, to);
  }

  /** Number of entries, without range tombstones. */
  public long entries() {
    return count(ENTRIES);
  }

  /** Sum of the {@link #footprint footprints} of all entries, and bytes of range tombstones. */
  public long bytesUsed() {
    return count(BYTES_USED);
  }

  /** Bytes of its arrays and range tombstones; 0 when it is empty or was released. */
  public long allocatedBytes() {
    return allocatedBytes;
  }

  /** Largest sequence number of an entry or a range tombstone; 0 when empty. */
  public long maxSequence() {
    return count(MAX_SEQUENCE);
  }

  /**
   * Smallest sequence number that was written, {@link Long#MAX_VALUE} when none was. Called once
   * nothing is added any more.
   */
  public long minSequence() {
    return minSequence;
  }

  /** Whether it has neither entries nor range tombstones. */
  public boolean isEmpty() {
    return entries() == 0 && tombstones == null;
  }

  /** Bytes that the tree takes, including nodes that are no longer part of it. */
  long treeBytes() {
    return (long) tree.nodes.nodeCount() * NodeArena.NODE_BYTES;
  }
}
