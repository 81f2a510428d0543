package io.sifr.internal.sst.format;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * The decoded header of an entry: everything before its key suffix. One object is reused; where it
 * does not escape a method, the compiler keeps it in registers. An entry reader adds what is needed
 * to read one entry after another.
 *
 * <pre>
 * varint  bytes of the user key shared with the entry before, times 2,
 *         plus 1 when the whole key is as long as that one's
 * varint  bytes of the key suffix, unless the key is as long
 * varint  bytes of the value, times 16, plus the kind's code
 * varint  sequence number minus the block's base, zigzag: 0, -1, 1, -2 … as 0, 1, 2, 3 …
 * </pre>
 *
 * <p>The first entry of a block is encoded as if it followed an empty key. A restart point shares
 * no more bytes than it has in common with the block's first key, and always gives its length; so
 * it can be decoded from the block's first key as well as from the previous key.
 */
public class EntryHeader {
  // Width of the longest integers: a key's length times 2, a value's times 16.
  private static final int MAX_LENGTH_BITS = 3 * 8;
  private static final int MAX_VALUE_BITS = 5 * 8;

  /** Size of the longest header. */
  public static final int MAX_BYTES =
      (2 * MAX_LENGTH_BITS + MAX_VALUE_BITS) / 8 + Varint56.MAX_BYTES;

  private static final int REPEATS_LENGTH = 1;
  private static final int KIND_MASK = (1 << EntryKind.BITS) - 1;

  /** Size of the shortest header. */
  public static final int MIN_BYTES = 3;

  /** Number of leading bytes of the user key that are those of the previous entry. */
  public int shared;

  /** The start of the key suffix. */
  public int suffixAt;

  /** The end of the key suffix and start of the value. */
  public int valueAt;

  /** The end of the entry. */
  public int next;

  private int kind;
  private long deltaWord;
  private int deltaFrom;
  private int deltaTo;

  /**
   * Decodes the header at {@code at} of an entry that must end at or before {@code end}. Reads at
   * most 15 bytes past {@code end}: every block has a trailer there, of 27 bytes or more.
   *
   * @param lengthBefore length of the previous key
   * @return false when there is no entry that the format allows; the fields are undefined then
   */
  public final boolean decode(ByteBuffer buffer, int at, int end, int lengthBefore) {
    return decode(buffer, at, buffer.getLong(at), end, lengthBefore);
  }

  /** The same for an entry whose first eight bytes have been read. */
  public final boolean decode(
      ByteBuffer buffer, int at, long firstWord, int end, int lengthBefore) {
    int base = at;
    long word = firstWord;
    long stops = Varint56.stops(word);
    int from = Varint56.end(stops);
    long field = from == Byte.SIZE ? word & 0x7F : Varint56.between(word, 0, from);
    long sharedBytes = field >>> 1;
    long suffixBytes = lengthBefore - sharedBytes;
    stops = Varint56.following(stops);
    if ((word & REPEATS_LENGTH) == 0) {
      int to = Varint56.end(stops);
      suffixBytes = Varint56.between(word, from, to);
      from = to;
      stops = Varint56.following(stops);
    }
    if (from > Long.SIZE - MAX_VALUE_BITS) {
      base += from >>> 3;
      from = 0;
      word = buffer.getLong(base);
      stops = Varint56.stops(word);
    }
    int to = Varint56.end(stops);
    field = Varint56.between(word, from, to);
    from = to;
    stops = Varint56.following(stops);
    if (stops == 0) {
      base += from >>> 3;
      if (base > end) {
        return false;
      }
      from = 0;
      word = buffer.getLong(base);
      stops = Varint56.stops(word);
    }
    deltaWord = word;
    deltaFrom = from;
    deltaTo = Varint56.end(stops);

    shared = (int) sharedBytes;
    kind = (int) field & KIND_MASK;
    suffixAt = base + (deltaTo >>> 3);
    return sharedBytes <= lengthBefore
        && locateKeyAndValue(suffixBytes, field >>> EntryKind.BITS, end);
  }

  private boolean locateKeyAndValue(long suffixBytes, long valueBytes, int end) {
    // All terms are below 2^57, so no sum can overflow.
    long value = suffixAt + suffixBytes;
    long after = value + valueBytes;
    valueAt = (int) value;
    next = (int) after;
    return after <= end;
  }

  /**
   * Whether the header at {@code at} omits the key's length because it is that of the previous key.
   */
  public static boolean repeatsLength(ByteBuffer buffer, int at) {
    return (buffer.get(at) & REPEATS_LENGTH) != 0;
  }

  /** Length of the whole user key. */
  public final int decodedKeyLength() {
    return shared + valueAt - suffixAt;
  }

  /** Length of the key suffix. */
  public final int suffixLength() {
    return valueAt - suffixAt;
  }

  public final int valueLength() {
    return next - valueAt;
  }

  /**
   * Sequence number and kind of the entry, in a block with that base; negative when the sequence
   * number is out of range.
   */
  public final long trailer(long baseSequence) {
    long delta = Varint56.between(deltaWord, deltaFrom, deltaTo);
    long sequence = baseSequence + (delta >>> 1 ^ -(delta & 1));
    return (sequence & ~Trailer.MAX_SEQUENCE) == 0 ? Trailer.of(sequence, kind) : -1;
  }

  /** The field with the length of a value and the kind of its entry. */
  public static long lengthAndKind(int valueLength, long trailer) {
    return (long) valueLength << EntryKind.BITS | Trailer.kind(trailer);
  }

  /** The zigzag form of a sequence number in a block with that base. */
  public static long delta(long sequence, long baseSequence) {
    long difference = sequence - baseSequence;
    return difference << 1 ^ difference >> 63;
  }

  /**
   * Compares the suffix of an entry with the key from {@code from} on.
   *
   * @return number of leading bytes that are equal, times 2, plus 1 when the suffix is larger
   */
  public static int compare(
      ByteBuffer buffer, EntryHeader entry, byte[] key, int offset, int length, int from) {
    int at = entry.suffixAt;
    int keyAt = offset + from;
    int left = length - from;
    int limit = Math.min(entry.suffixLength(), left);
    int i = 0;
    while (i < limit) {
      if (limit < Long.BYTES) {
        int difference = (buffer.get(at + i) & 0xFF) - (key[keyAt + i] & 0xFF);
        if (difference != 0) {
          return i << 1 | (difference > 0 ? 1 : 0);
        }
        i++;
      } else {
        // The last word overlaps the previous one, whose bytes are known to be equal.
        i = Math.min(i, limit - Long.BYTES);
        long mine = Long.reverseBytes(buffer.getLong(at + i));
        long yours = Bytes.getLong(key, keyAt + i);
        if (mine != yours) {
          int same = i + (Long.numberOfLeadingZeros(mine ^ yours) >>> 3);
          return same << 1 | (Long.compareUnsigned(mine, yours) > 0 ? 1 : 0);
        }
        i += Long.BYTES;
      }
    }
    return limit << 1 | (entry.suffixLength() > left ? 1 : 0);
  }
}
