package io.sifr.internal.memtable;

import io.sifr.internal.entry.range.KeyStretch;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.entry.range.TombstonePlace;
import org.jspecify.annotations.Nullable;

/**
 * The range tombstones of a memtable at one moment. Those that were added lately are kept apart
 * from the others while they are few: to add one copies only these, and all of them only once in a
 * while. Reads search both.
 *
 * <p>Immutable.
 */
final class MemtableTombstones implements TombstonePlace {
  /**
   * Size of those that are kept apart. For 10,000 others, about as many as a memtable holds, this
   * is where copying them seldom takes as long as copying these each time.
   */
  static final int MOST_RECENT = 128;

  private final RangeTombstones older;
  private final @Nullable RangeTombstones recent;

  private MemtableTombstones(RangeTombstones older, @Nullable RangeTombstones recent) {
    this.older = older;
    this.recent = recent;
  }

  /**
   * These and others.
   *
   * @param before null: there are none yet
   */
  static MemtableTombstones of(@Nullable MemtableTombstones before, RangeTombstones added) {
    if (before == null) {
      return new MemtableTombstones(added, null);
    }
    RangeTombstones older = before.older;
    RangeTombstones recent = before.recent == null ? added : before.recent.and(added);
    boolean mayGrow = recent.size() <= MOST_RECENT && older.size() > MOST_RECENT;
    return mayGrow
        ? new MemtableTombstones(older, recent)
        : new MemtableTombstones(older.and(recent), null);
  }

  /** As {@link RangeTombstones#newestCovering(byte[], int, int, long)}. */
  long newestCovering(byte[] key, int offset, int length, long atMost) {
    long newest = older.newestCovering(key, offset, length, atMost);
    return recent == null
        ? newest
        : Math.max(newest, recent.newestCovering(key, offset, length, atMost));
  }

  /** As {@link RangeTombstones#firstCovered(byte[], byte[], long)}, but any such key. */
  byte @Nullable [] covered(byte[] from, byte @Nullable [] to, long since) {
    byte[] inOlder = older.firstCovered(from, to, since);
    return inOlder != null || recent == null ? inOlder : recent.firstCovered(from, to, since);
  }

  @Override
  public long newestCovering(
      byte[] key, int offset, int length, long atMost, boolean exactly, KeyStretch around) {
    long newest = older.newestCovering(key, offset, length, atMost, exactly, around);
    return recent == null
        ? newest
        : Math.max(newest, recent.newestCovering(key, offset, length, atMost, exactly, around));
  }

  /** All as one, which takes time in proportion to their number. */
  RangeTombstones whole() {
    return recent == null ? older : older.and(recent);
  }

  /** Number of fragments; some may be parts of the same. */
  long count() {
    return older.count() + (recent == null ? 0 : recent.count());
  }

  /** Estimate of what they take on the heap, in bytes. */
  long bytes() {
    return older.bytes() + (recent == null ? 0 : recent.bytes());
  }
}
