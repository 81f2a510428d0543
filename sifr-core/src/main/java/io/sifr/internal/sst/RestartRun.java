package io.sifr.internal.sst;

import java.util.Arrays;

/**
 * The decoded entries from a restart point on, for walking backwards: a key can only be rebuilt
 * from the restart point before it, so a run is decoded once and then left entry by entry.
 */
final class RestartRun {
  private int count;
  private byte[] keys = new byte[SstFormat.RESTART_INTERVAL * 32];
  private int[] keyEnds = new int[SstFormat.RESTART_INTERVAL];
  private int[] entries = new int[SstFormat.RESTART_INTERVAL];
  private int[] values = new int[SstFormat.RESTART_INTERVAL];
  private int[] nexts = new int[SstFormat.RESTART_INTERVAL];
  private long[] trailers = new long[SstFormat.RESTART_INTERVAL];

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
      keyEnds = Arrays.copyOf(keyEnds, 2 * count);
      entries = Arrays.copyOf(entries, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
      nexts = Arrays.copyOf(nexts, 2 * count);
      trailers = Arrays.copyOf(trailers, 2 * count);
    }
    int start = keyStart(count);
    if (start + keyLength > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(start + keyLength, 2 * keys.length));
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
