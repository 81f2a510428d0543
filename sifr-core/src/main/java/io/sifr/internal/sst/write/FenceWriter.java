package io.sifr.internal.sst.write;

import io.sifr.internal.sst.format.IndexTop;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Collects the fences of an SST being written, in their stored form; {@link IndexTop} reads it.
 *
 * <p>A fence separates a block from the previous one: in internal order it is after the last entry
 * of the previous block and not after the first entry of its own. Fences are stored in parts, each
 * in a block of its own, and the top locates the parts by the fence of each part's first block. So
 * a reader needs only the top in memory.
 *
 * <pre>
 * part := varint number of its first block, varint page in which that begins, (fence, varint pages of the block)+
 * top  := (fence, varint bytes of the part, stored)+
 *
 * fence := varint  bytes of its key shared with the fence before in the same part
 *          varint  bytes of the key suffix, times 2, plus 1 when there is a sequence number
 *          varint  sequence number, when versions of one user key lie in both blocks
 *                  key suffix
 * </pre>
 *
 * <p>The first fence of a part is empty: it is stored in the top. That of the first block is empty
 * there too, since no block precedes it.
 */
final class FenceWriter {
  private static final int MAX_HEADER_BYTES = 3 + 3 + 8;
  private static final int MAX_VARINT_BYTES = 5;

  /** Encodes fences and numbers in sequence. */
  private static final class Node {
    private byte[] bytes = new byte[1 << 10];
    private int length;
    private byte[] lastFence = new byte[64];
    private int lastFenceLength;

    void number(int number) {
      room(MAX_VARINT_BYTES);
      length = VarInts.put(bytes, length, number);
    }

    /** Adds a fence; a negative sequence number means none. */
    void fence(byte[] key, int offset, int keyLength, long sequence) {
      int shared =
          Bytes.commonPrefix(
              lastFence, 0, lastFenceLength, key, offset, Math.min(keyLength, lastFenceLength));
      int suffix = keyLength - shared;
      room(MAX_HEADER_BYTES + suffix);
      int at = VarInts.put(bytes, length, shared);
      at = VarInts.put(bytes, at, suffix << 1 | (sequence < 0 ? 0 : 1));
      if (sequence >= 0) {
        at = VarInts.put(bytes, at, sequence);
      }
      System.arraycopy(key, offset + shared, bytes, at, suffix);
      length = at + suffix;

      if (keyLength > lastFence.length) {
        lastFence = new byte[2 * keyLength];
      }
      System.arraycopy(key, offset, lastFence, 0, keyLength);
      lastFenceLength = keyLength;
    }

    void room(int more) {
      if (length + more > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
      }
    }
  }

  private final int partBytes;
  private final StoredBlock.Encoder encoder;
  private final Node parts = new Node();
  private final Node top = new Node();

  /** The ends of the parts in the array; that of the last one only when it is complete. */
  private int[] partEnds = new int[4];

  private int partCount;
  private boolean inPart;
  private int blocks;
  private int pages;

  /**
   * @param partBytes a part ends when it reaches this size
   * @param encoder completes parts and top
   */
  FenceWriter(int partBytes, StoredBlock.Encoder encoder) {
    this.partBytes = partBytes;
    this.encoder = encoder;
  }

  /**
   * Upper bound, tight to a few bytes, of the stored size of parts and top if no further block
   * follows.
   */
  int storedBytes() {
    return parts.length + top.length + 2 * (MAX_VARINT_BYTES + encoder.overhead());
  }

  /** Number of complete blocks. */
  int blocks() {
    return blocks;
  }

  /** Begins the first block. */
  void beginFirst() {
    append(Bytes.EMPTY, 0, 0, -1);
  }

  /**
   * Begins a block whose first user key is larger than the last one of the previous block. The
   * fence is the shortest key that separates them: their common prefix and one byte more.
   *
   * @param common number of leading bytes the first key has in common with the last one of the
   *     previous block
   */
  void begin(byte[] firstKey, int offset, int common) {
    append(firstKey, offset, common + 1, -1);
  }

  /**
   * Begins a block between two versions of a user key.
   *
   * @param lastSequence sequence number of the previous version. The fence's is one less, not that
   *     of the block's first version: so a reader at a sequence number between the two goes to the
   *     block with its answer, and never has to search the previous one as well.
   */
  void beginWithin(byte[] key, int offset, int keyLength, long lastSequence) {
    append(key, offset, keyLength, lastSequence - 1);
  }

  /** Ends the block, which has that many pages. */
  void end(int blockPages) {
    parts.number(blockPages);
    blocks++;
    pages += blockPages;
    if (parts.length - partStart() >= partBytes) {
      endPart();
    }
  }

  private void append(byte[] key, int offset, int keyLength, long sequence) {
    if (inPart) {
      parts.fence(key, offset, keyLength, sequence);
      return;
    }
    inPart = true;
    top.fence(key, offset, keyLength, sequence);
    parts.number(blocks);
    parts.number(pages);
    parts.lastFenceLength = 0;
    parts.fence(Bytes.EMPTY, 0, 0, -1);
  }

  private int partStart() {
    return partCount == 0 ? 0 : partEnds[partCount - 1];
  }

  private void endPart() {
    inPart = false;
    parts.room(encoder.overhead());
    parts.length += encoder.overhead();
    top.number(parts.length - partStart());
    if (partCount == partEnds.length) {
      partEnds = Arrays.copyOf(partEnds, 2 * partCount);
    }
    partEnds[partCount++] = parts.length;
  }

  /**
   * Writes parts and top in their stored form.
   *
   * @param buffer receives them from its position on; with an array of its own
   * @param fileOffset where that is in the file
   * @return size of the parts, which is also where the top begins
   */
  int store(ByteBuffer buffer, long fileOffset) {
    if (inPart) {
      endPart();
    }
    int start = buffer.position();
    buffer.put(parts.bytes, 0, parts.length);
    for (int i = 0; i < partCount; i++) {
      int from = i == 0 ? 0 : partEnds[i - 1];
      encoder.complete(buffer, start + from, start + partEnds[i], fileOffset + from);
    }
    buffer.put(top.bytes, 0, top.length);
    int end = buffer.position() + encoder.overhead();
    encoder.complete(buffer, start + parts.length, end, fileOffset + parts.length);
    buffer.position(end);
    return parts.length;
  }
}
