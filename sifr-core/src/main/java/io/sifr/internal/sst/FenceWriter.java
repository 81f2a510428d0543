package io.sifr.internal.sst;

import io.sifr.internal.util.Bytes;
import java.util.Arrays;

/**
 * Collects the fences of an SST being written, in the form in which they are stored; {@link
 * FenceIndex} reads it.
 *
 * <p>A fence separates a block from the one before: in internal order it lies behind the last entry
 * of that one, and not behind the first of its own. The first block needs none and gets an empty
 * one.
 *
 * <pre>
 * varint  bytes of the fence's key shared with the fence before
 * varint  bytes of the key suffix, times 2, plus 1 when there is a sequence number
 * varint  sequence number, when versions of one user key lie in both blocks
 *         key suffix
 * varint  pages of the block
 * </pre>
 */
final class FenceWriter {
  private static final int MAX_HEADER_BYTES = 3 + 3 + 8;

  /** Bytes that {@link #end} appends at most. */
  static final int MAX_PAGES_BYTES = 4;

  private byte[] bytes = new byte[8 << 10];
  private int length;
  private byte[] lastFence = new byte[64];
  private int lastFenceLength;
  private int blocks;

  /** Bytes collected, from the start of {@link #array}. */
  int length() {
    return length;
  }

  byte[] array() {
    return bytes;
  }

  /** Number of blocks ended. */
  int blocks() {
    return blocks;
  }

  /** The first block begins. */
  void beginFirst() {
    append(Bytes.EMPTY, 0, 0, -1);
  }

  /**
   * A block begins with a user key larger than the last one of the block before. The fence is the
   * shortest such key: what both have in common and one byte more.
   *
   * @param common leading bytes the first key has in common with the last one before
   */
  void begin(byte[] firstKey, int offset, int common) {
    append(firstKey, offset, common + 1, -1);
  }

  /**
   * A block begins in the midst of the versions of a user key.
   *
   * @param lastSequence sequence number of the version before. The fence's is one less, not that of
   *     the block's first version: so a reader between the two comes to the block that has his
   *     answer, and never has to look into the one before as well.
   */
  void beginWithin(byte[] key, int offset, int keyLength, long lastSequence) {
    append(key, offset, keyLength, lastSequence - 1);
  }

  /** The block ends, with that many pages. */
  void end(int pages) {
    length = Varint56.put(bytes, length, pages);
    blocks++;
  }

  private void append(byte[] key, int offset, int keyLength, long sequence) {
    int shared =
        Bytes.commonPrefix(
            lastFence, 0, lastFenceLength, key, offset, Math.min(keyLength, lastFenceLength));
    int suffix = keyLength - shared;
    int room = length + MAX_HEADER_BYTES + suffix + MAX_PAGES_BYTES + Long.BYTES;
    if (room > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(room, 2 * bytes.length));
    }
    int at = Varint56.put(bytes, length, shared);
    at = Varint56.put(bytes, at, suffix << 1 | (sequence < 0 ? 0 : 1));
    if (sequence >= 0) {
      at = Varint56.put(bytes, at, sequence);
    }
    System.arraycopy(key, offset + shared, bytes, at, suffix);
    length = at + suffix;

    if (keyLength > lastFence.length) {
      lastFence = new byte[2 * keyLength];
    }
    System.arraycopy(key, offset, lastFence, 0, keyLength);
    lastFenceLength = keyLength;
  }
}
