package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import java.nio.ByteBuffer;

/**
 * What stands before the key suffix of an entry, decoded. One object is filled again and again;
 * where it does not leave a method the compiler keeps it in registers.
 *
 * <pre>
 * varint  bytes of the user key shared with the entry before
 * varint  bytes of the key suffix
 * varint  bytes of the value, times 4, plus the kind's code
 * varint  sequence number minus the block's base, zigzag: 0, -1, 1, -2 … as 0, 1, 2, 3 …
 * </pre>
 */
final class EntryHeader {
  /** Bytes of the longest header. */
  static final int MAX_BYTES = 3 + 3 + 5 + 8;

  /** Bytes of the shortest header. */
  static final int MIN_BYTES = 4;

  /** Bytes of the user key that the entry before has too. */
  int shared;

  /** Where the key suffix begins. */
  int suffixAt;

  /** Where the value begins, and the key suffix ends. */
  int valueAt;

  /** Where the entry ends. */
  int next;

  private int kind;
  private long delta;

  /**
   * Decodes the header at {@code at} of an entry that has to end at {@code end} or before. Reads at
   * most {@value BlockTrailer#BYTES} bytes past {@code end}, where every block has its trailer.
   *
   * @return false when no entry that the format allows lies there; the fields are undefined then
   */
  boolean decode(ByteBuffer buffer, int at, int end) {
    long word = Varint56.word(buffer, at);
    int behind = at;
    int width;
    long prefixBytes;
    long suffixBytes;
    if ((word & 0x8080) == 0) {
      prefixBytes = word & 0x7F;
      suffixBytes = word >>> 8 & 0x7F;
      word >>>= 16; // six bytes are left, more than a value length can have
      behind += 2;
    } else {
      width = Varint56.width(word);
      prefixBytes = Varint56.value(word, width);
      behind += width;
      if (behind > end) {
        return false;
      }
      word = Varint56.word(buffer, behind);
      width = Varint56.width(word);
      suffixBytes = Varint56.value(word, width);
      behind += width;
      if (behind > end) {
        return false;
      }
      word = Varint56.word(buffer, behind);
    }
    width = Varint56.width(word);
    long lengthAndKind = Varint56.value(word, width);
    behind += width;
    word = Varint56.word(buffer, behind);
    width = Varint56.width(word);
    delta = Varint56.value(word, width);
    behind += width;

    long valueBytes = lengthAndKind >>> 2;
    kind = (int) lengthAndKind & 3;
    // All terms are below 2^57, so no sum can overflow.
    if (behind + suffixBytes + valueBytes > end
        || prefixBytes + suffixBytes > SstFormat.MAX_KEY_BYTES
        || kind > EntryKind.DELETE.code()
        || (kind == EntryKind.DELETE.code() && valueBytes != 0)) {
      return false;
    }
    shared = (int) prefixBytes;
    suffixAt = behind;
    valueAt = behind + (int) suffixBytes;
    next = valueAt + (int) valueBytes;
    return true;
  }

  /** Bytes of the key suffix. */
  int suffixLength() {
    return valueAt - suffixAt;
  }

  /** Bytes of the value. */
  int valueLength() {
    return next - valueAt;
  }

  /**
   * Sequence number and kind of the entry, in a block with that base; negative when the sequence
   * number is out of range.
   */
  long trailer(long baseSequence) {
    long sequence = baseSequence + (delta >>> 1 ^ -(delta & 1));
    return (sequence & ~Trailer.MAX_SEQUENCE) == 0 ? sequence << 8 | kind : -1;
  }

  /** The zigzag form of a sequence number in a block with that base. */
  static long delta(long sequence, long baseSequence) {
    long difference = sequence - baseSequence;
    return difference << 1 ^ difference >> 63;
  }
}
