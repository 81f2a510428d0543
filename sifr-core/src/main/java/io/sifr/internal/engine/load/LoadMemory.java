package io.sifr.internal.engine.load;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.memtable.Memtable;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries in memory, in several memtables of equal size. Each entry gets a larger sequence
 * number than those before, so that the last one of a key is its newest version. Used by one
 * thread.
 */
final class LoadMemory {
  private static final long LARGEST = 1 << 30; // so that it becomes one SST

  private final long capacity;
  private @Nullable Memtable active;
  private long sequence;

  /**
   * @param bytes memory of all memtables
   * @param memtables how many there may be, the active one included
   */
  LoadMemory(long bytes, int memtables) {
    capacity = Math.max(1, Math.min(LARGEST, bytes / memtables));
  }

  /**
   * Checks an entry.
   *
   * @throws IllegalArgumentException when key or value are too long
   */
  static void check(byte[] key, byte[] value) {
    EntryLimits.checkKey(key);
    EntryLimits.checkValue(value);
  }

  /** Whether an entry still fits; if not, {@link #moveTo} comes first. */
  boolean hasRoom(byte[] key, byte[] value) {
    return active == null || active.hasRoom(Memtable.footprint(key.length, value.length));
  }

  /** Adds an entry that was checked, and for which there is room. */
  void add(EntryKind kind, byte[] key, byte[] value) {
    Memtable memtable = active;
    if (memtable == null) {
      memtable = new Memtable(Math.max(capacity, Memtable.footprint(key.length, value.length)));
      active = memtable;
    }
    memtable.add(Trailer.of(++sequence, kind), key, 0, key.length, value, 0, value.length);
  }

  /** Ends the active memtable, if there is one, and adds it to others. */
  void moveTo(Collection<Memtable> full) {
    Memtable memtable = active;
    if (memtable != null) {
      full.add(memtable);
      active = null;
    }
  }

  /** Number of entries that were added. */
  long entries() {
    return sequence;
  }
}
