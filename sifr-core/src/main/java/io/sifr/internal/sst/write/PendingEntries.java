package io.sifr.internal.sst.write;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Entries that are collected until it is known how many of them fit into a block: a queue, and an
 * iterator over it. Used by one thread.
 */
final class PendingEntries implements ForwardIterator {
  private byte[] data = new byte[16 << 10];
  private int count;
  private int position;

  // Of each entry; its value follows its key.
  private int[] keyAt = new int[128];
  private int[] valueAt = new int[128];
  private int[] end = new int[128];
  private int[] common = new int[128];
  private long[] trailer = new long[128];

  /** Sequence number of the entry before the first. */
  private long sequenceBefore;

  /** Number of entries. */
  int count() {
    return count;
  }

  /**
   * Appends the current entry of the source.
   *
   * @param inCommon number of leading bytes its key has in common with that of the previous entry
   * @param before sequence number of the previous entry
   */
  void add(
      ForwardIterator source,
      byte[] key,
      int keyOffset,
      int keyLength,
      int inCommon,
      long itsTrailer,
      long before) {
    int from = count == 0 ? 0 : end[count - 1];
    int valueFrom = from + keyLength;
    int to = valueFrom + source.valueLength();
    makeRoom(to);
    System.arraycopy(key, keyOffset, data, from, keyLength);
    source.copyValue(data, valueFrom);
    if (count == 0) {
      sequenceBefore = before;
    }
    keyAt[count] = from;
    valueAt[count] = valueFrom;
    end[count] = to;
    common[count] = inCommon;
    trailer[count] = itsTrailer;
    count++;
  }

  private void makeRoom(int bytes) {
    if (bytes > data.length) {
      data = Arrays.copyOf(data, Math.max(bytes, 2 * data.length));
    }
    if (count == end.length) {
      keyAt = Arrays.copyOf(keyAt, 2 * count);
      valueAt = Arrays.copyOf(valueAt, 2 * count);
      end = Arrays.copyOf(end, 2 * count);
      common = Arrays.copyOf(common, 2 * count);
      trailer = Arrays.copyOf(trailer, 2 * count);
    }
  }

  void clear() {
    count = 0;
  }

  void removeFirst(int removed) {
    if (removed == 0) {
      return;
    }
    int from = end[removed - 1];
    int left = count - removed;
    sequenceBefore = Trailer.sequence(trailer[removed - 1]);
    System.arraycopy(data, from, data, 0, end[count - 1] - from);
    for (int i = 0; i < left; i++) {
      keyAt[i] = keyAt[removed + i] - from;
      valueAt[i] = valueAt[removed + i] - from;
      end[i] = end[removed + i] - from;
    }
    System.arraycopy(common, removed, common, 0, left);
    System.arraycopy(trailer, removed, trailer, 0, left);
    count = left;
  }

  /** Length of the key of an entry. */
  int keyLength(int entry) {
    return valueAt[entry] - keyAt[entry];
  }

  /** Bytes that the key of an entry has in common with that of the entry before it. */
  int common(int entry) {
    return common[entry];
  }

  /** Length of the value of an entry. */
  int valueLength(int entry) {
    return end[entry] - valueAt[entry];
  }

  /** Sequence number and kind of an entry. */
  long trailer(int entry) {
    return trailer[entry];
  }

  /** The first eight bytes of a key from an index on; zeros follow its end. */
  long word(int entry, int from) {
    return Bytes.prefix(data, keyAt[entry] + from, keyLength(entry) - from);
  }

  /** Copies the first bytes of the key of an entry. */
  void copyKey(int entry, byte[] target, int offset, int bytes) {
    System.arraycopy(data, keyAt[entry], target, offset, bytes);
  }

  /** Copies the key of an entry from an index on, and the value after it; returns where it ends. */
  int copy(int entry, int fromKey, byte[] target, int offset) {
    int from = keyAt[entry] + fromKey;
    int length = end[entry] - from;
    System.arraycopy(data, from, target, offset, length);
    return offset + length;
  }

  /** Bytes that its key has in common with that of the entry before it. */
  int common() {
    return common[position];
  }

  /** Sequence number of the entry before it. */
  long sequenceBefore() {
    return position == 0 ? sequenceBefore : Trailer.sequence(trailer[position - 1]);
  }

  @Override
  public boolean seekToFirst() {
    position = 0;
    return valid();
  }

  @Override
  public boolean next() {
    position++;
    return valid();
  }

  @Override
  public boolean valid() {
    return position < count;
  }

  @Override
  public byte[] keyArray() {
    return data;
  }

  @Override
  public int keyOffset() {
    return keyAt[position];
  }

  @Override
  public int keyLength() {
    return valueAt[position] - keyAt[position];
  }

  @Override
  public long trailer() {
    return trailer[position];
  }

  @Override
  public int valueLength() {
    return end[position] - valueAt[position];
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    System.arraycopy(data, valueAt[position], target, offset, valueLength());
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(data, valueAt[position], valueLength()).slice().asReadOnlyBuffer();
  }

  @Override
  public void close() {}
}
