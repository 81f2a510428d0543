package io.sifr.internal.sst.read;

import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * The decoded entries from a restart point on, for iterating backwards: a key can only be rebuilt
 * from the restart point before it, so a run is decoded once and then returned entry by entry.
 */
final class RestartRun {
  private static final int[] NONE = {};
  private static final int MIN_KEY_BYTES = SstFormat.RESTART_INTERVAL * 32;

  // Empty until there is an entry: most iterators never move backwards.
  private int count;
  private byte[] keys = Bytes.EMPTY;
  private int[] keyEnds = NONE;
  private int[] entries = NONE;
  private int[] values = NONE;
  private int[] nexts = NONE;
  private long[] trailers = {};

  void clear() {
    count = 0;
  }

  /** Number of entries. */
  int count() {
    return count;
  }

  /** Adds the entry that begins at {@code entryAt}. */
  void add(byte[] key, int keyLength, int entryAt, int valueAt, int next, long trailer) {
    if (count == trailers.length) {
      int room = Math.max(SstFormat.RESTART_INTERVAL, 2 * count);
      keyEnds = Arrays.copyOf(keyEnds, room);
      entries = Arrays.copyOf(entries, room);
      values = Arrays.copyOf(values, room);
      nexts = Arrays.copyOf(nexts, room);
      trailers = Arrays.copyOf(trailers, room);
    }
    int start = keyStart(count);
    if (start + keyLength > keys.length) {
      keys =
          Arrays.copyOf(
              keys, Math.max(start + keyLength, Math.max(MIN_KEY_BYTES, 2 * keys.length)));
    }
    System.arraycopy(key, 0, keys, start, keyLength);
    keyEnds[count] = start + keyLength;
    entries[count] = entryAt;
    values[count] = valueAt;
    nexts[count] = next;
    trailers[count] = trailer;
    count++;
  }

  /** Array that holds all keys. */
  byte[] keys() {
    return keys;
  }

  int keyStart(int entry) {
    return entry == 0 ? 0 : keyEnds[entry - 1];
  }

  int keyLength(int entry) {
    return keyEnds[entry] - keyStart(entry);
  }

  /** Where the entry begins in the block's buffer. */
  int entryAt(int entry) {
    return entries[entry];
  }

  /** Where its value begins. */
  int valueAt(int entry) {
    return values[entry];
  }

  /** Where it ends. */
  int next(int entry) {
    return nexts[entry];
  }

  long trailer(int entry) {
    return trailers[entry];
  }
}
