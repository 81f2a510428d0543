package io.sifr.internal.sst.format;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The entries of a data block, by number. They are in groups, one after the other; most blocks have
 * one. What a search needs is at the start of a group: a search among the words of its keys, and
 * then one entry, mostly touch three cache lines.
 *
 * <pre>
 * group:
 *  0  u16       number of entries
 *  2  u8        bytes of a word, 1 to 8, plus 16 times those of a sequence number, 0 to 7
 *  3  u16       bytes of the prefix
 *  5  u8        bytes of each key after the prefix, plus 1; 0 if they differ, or are 255 or more
 *  6  u56       base: the smallest sequence number
 * 13            the prefix, which all keys of the group have in common
 *               of each key, a word: the bytes after the prefix, filled up with zeros
 *     u16 each  where the entries begin in the raw form, and where the last one ends;
 *               u32 if there is only one entry
 *               the entries
 *     u8        a mark: 1 after the last group, 2 if another one follows
 *
 * After the last group there are zeros, in a block that is stored as it is.
 *
 * entry:
 *     u8        kind, plus 1, plus 16 times the four lowest bits of the sequence number minus base
 *     0 to 7    its other bits, little-endian
 *     varint    bytes of the key after the prefix, if the block does not say
 *               the key after the prefix and the word
 *               the value
 * </pre>
 *
 * <p>Other fixed-width integers are big-endian, as in the whole file; they are read from
 * little-endian buffers. An entry and a mark begin with a byte that is not 0: so each entry is
 * followed by such a byte, and zeros in place of the end of a page, which a mapping shows after a
 * file was cut, are not taken for a value.
 *
 * <p>Offsets and lengths are checked when they are used. Up to eight bytes after the raw form are
 * read, where there is always the trailer of the stored form.
 *
 * <p>Not thread-safe: it remembers the group and the entry that were {@linkplain #locate located}
 * last.
 */
public class BlockEntries {
  /** Bytes before the prefix. */
  public static final int HEAD_BYTES = 13;

  /** Length of the longest prefix. */
  public static final int MAX_PREFIX_BYTES = 0xFFFF;

  /** The longest that all keys may be after the prefix, if the block says so for all. */
  public static final int MAX_SUFFIX_BYTES = 0xFE;

  /** Width of the longest word. */
  public static final int MAX_WORD_BYTES = Long.BYTES;

  /** The byte after the last entry of the last group. */
  public static final byte MARK = 1;

  /** The byte after the last entry of any other group. */
  public static final byte MORE = 2;

  /** Size of the mark. */
  public static final int MARK_BYTES = 1;

  private static final int MAX_SEQUENCE_BYTES = 7;

  /** What {@link #find} returns if an entry cannot be read. */
  public static final int UNREADABLE = -1;

  private static final int COUNT = 0;
  private static final int WIDTHS = 2;
  private static final int PREFIX_BYTES = 3;
  private static final int SUFFIX_BYTES = 5;

  private static final int KIND_MASK = (1 << EntryKind.BITS) - 1;

  /** In place of a block. */
  protected static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Holds the block, little-endian. */
  public ByteBuffer buffer = NOTHING;

  /** The start of the raw form in the buffer. */
  public int start;

  /** The end of the raw form in the buffer. */
  public int end;

  // The group that was entered last.
  private int groupAt;
  private int first;
  private int count;
  private int wordBytes;

  /** Bytes of an entry with its kind and sequence number. */
  private int headerBytes;

  private int prefixBytes;

  /** Bytes of each key after the prefix; -1 if they differ. */
  private int suffixBytes;

  private int wordsAt;
  private int offsetsAt;
  private int entriesAt;
  private long base;

  /** Is added to all sequence numbers. */
  private long baseOfFile;

  // The entry located last.
  private int entryAt;
  private int suffixLength;
  private int restAt;
  private int valueAt;
  private int next;
  private long header;

  /**
   * Writes what precedes the prefix of a group.
   *
   * @param buffer big-endian
   * @param at where the group begins in it
   * @param headerBytes see {@link #headerBytes}
   * @param suffixBytes bytes of each key after the prefix; -1 if they differ
   */
  public static void encodeHead(
      ByteBuffer buffer,
      int at,
      int count,
      int wordBytes,
      int headerBytes,
      int prefixBytes,
      int suffixBytes,
      long base) {
    buffer.putLong(at + HEAD_BYTES - Long.BYTES, base); // its first byte is replaced
    buffer.putShort(at + COUNT, (short) count);
    buffer.put(at + WIDTHS, (byte) (wordBytes | (headerBytes - 1) << EntryKind.BITS));
    buffer.putShort(at + PREFIX_BYTES, (short) prefixBytes);
    buffer.put(at + SUFFIX_BYTES, (byte) (suffixBytes + 1));
  }

  /** Size of all offsets. */
  public static int offsetsBytes(int count) {
    return count == 1 ? 2 * Integer.BYTES : (count + 1) * Short.BYTES;
  }

  /** Writes an offset; the buffer is big-endian. */
  public static void putOffset(ByteBuffer buffer, int offsetsAt, int count, int i, int offset) {
    if (count == 1) {
      buffer.putInt(offsetsAt + i * Integer.BYTES, offset);
    } else {
      buffer.putShort(offsetsAt + i * Short.BYTES, (short) offset);
    }
  }

  /**
   * Bytes of an entry with its kind and sequence number, if that is so much larger than the base at
   * most.
   */
  public static int headerBytes(long largestDifference) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(largestDifference >>> EntryKind.BITS);
    return 1 + (bits + Byte.SIZE - 1) / Byte.SIZE;
  }

  /** Writes them at an offset. Always stores eight bytes, so what follows is written afterwards. */
  public static void putHeader(byte[] array, int at, long trailer, long base) {
    long difference = Trailer.sequence(trailer) - base;
    long header = difference << EntryKind.BITS | (Trailer.kind(trailer) + 1);
    Bytes.putLong(array, at, Long.reverseBytes(header));
  }

  /** Number of entries of the group that begins there; 0 only in place of one. */
  public static int count(ByteBuffer buffer, int start) {
    return Short.reverseBytes(buffer.getShort(start + COUNT)) & 0xFFFF;
  }

  /**
   * Checks that what precedes the entries of the first group fits the block. That of others is
   * checked when they are entered.
   *
   * @param start where the raw form begins in the buffer
   * @param end where it ends
   * @param offset where the block begins in the file
   * @throws CorruptionException when it is not the start of such a block
   */
  public static void check(Path file, ByteBuffer buffer, int start, int end, long offset) {
    if (end - start < HEAD_BYTES) {
      throw new CorruptionException(file, offset, "a block of " + (end - start) + " bytes");
    }
    BlockEntries block = new BlockEntries();
    block.show(buffer, start, end);
    block.enter(0);
    if (!block.isHeadSound()) {
      throw new CorruptionException(
          file,
          offset,
          "%d entries, words of %d bytes, sequence numbers of %d and a prefix of %d in %d bytes"
              .formatted(
                  block.count,
                  block.wordBytes,
                  block.headerBytes - 1,
                  block.prefixBytes,
                  end - start));
    }
    if (block.base > Trailer.MAX_SEQUENCE) {
      throw new CorruptionException(file, offset, "base sequence number is " + block.base);
    }
  }

  private boolean isHeadSound() {
    return count > 0
        && wordBytes > 0
        && wordBytes <= MAX_WORD_BYTES
        && headerBytes <= 1 + MAX_SEQUENCE_BYTES
        && entriesAt < end;
  }

  /**
   * Points at a block, which was checked, and reads nothing of it.
   *
   * @param in little-endian
   * @param from start of the raw form
   * @param to end of the raw form
   */
  public final void show(ByteBuffer in, int from, int to) {
    buffer = in;
    start = from;
    end = to;
  }

  /**
   * Begins to read the block: enters its first group.
   *
   * @param added to all sequence numbers
   */
  public final void enter(long added) {
    baseOfFile = added;
    enterGroup(start, 0);
  }

  private void enterGroup(int from, int firstEntry) {
    ByteBuffer in = buffer;
    groupAt = from;
    first = firstEntry;
    long head = Long.reverseBytes(in.getLong(from));
    count = (int) (head >>> 48);
    wordBytes = (int) (head >>> 40) & 0xF;
    headerBytes = ((int) (head >>> 44) & 0xF) + 1;
    prefixBytes = (int) (head >>> 24) & 0xFFFF;
    suffixBytes = ((int) (head >>> 16) & 0xFF) - 1;
    wordsAt = from + HEAD_BYTES + prefixBytes;
    offsetsAt = wordsAt + count * wordBytes;
    entriesAt = offsetsAt + offsetsBytes(count);
    long last = Long.reverseBytes(in.getLong(from + HEAD_BYTES - Long.BYTES));
    base = (last << Byte.SIZE >>> Byte.SIZE) + baseOfFile;
  }

  /**
   * Enters the group after the one entered last, if there is one. A group that cannot be read has
   * no entries.
   */
  private boolean enterNext() {
    int at = start + (count == 1 ? endOfOnlyEntry() : offset(count));
    if (at < entriesAt || at >= end) {
      return enterNothing(offsetsAt);
    }
    byte mark = buffer.get(at);
    if (mark == MARK) {
      return false;
    }
    int from = at + MARK_BYTES;
    if (mark != MORE || end - from < HEAD_BYTES) {
      return enterNothing(at);
    }
    enterGroup(from, first + count);
    return isHeadSound() || enterNothing(from);
  }

  private boolean enterNothing(int at) {
    entryAt = at;
    count = 0;
    return true;
  }

  /** Enters the group with an entry. Returns false when there is none that can be read. */
  private boolean enterGroupWith(int number) {
    if (number < first) {
      enterGroup(start, 0);
    }
    while (count > 0 && number - first >= count && enterNext()) {}
    return isInGroup(number);
  }

  /** Number of the first entry of the group that was entered last. */
  public final int groupBegin() {
    return first;
  }

  /** Number of the entry after the last one of the group that was entered last. */
  public final int groupEnd() {
    return first + count;
  }

  /**
   * Enters the last group, and returns the number of the last entry; -1 if a group cannot be read.
   */
  public final int last() {
    while (count > 0 && enterNext()) {}
    return count == 0 ? -1 : groupEnd() - 1;
  }

  /** Where the group that was entered last begins. */
  public final int groupAt() {
    return groupAt;
  }

  /**
   * Whether another group follows the entry located last, which is the last one of its group; also
   * if it cannot be told.
   */
  public final boolean isFollowed() {
    return buffer.get(next) != MARK;
  }

  /** Length of the prefix of all keys of the group. */
  final int prefixBytes() {
    return prefixBytes;
  }

  /** Where the entries of the group begin. */
  public final int entriesAt() {
    return entriesAt;
  }

  /** Where in the raw form the only entry of a group ends, unsigned. */
  public final int endOfOnlyEntry() {
    return Integer.reverseBytes(buffer.getInt(offsetsAt + Integer.BYTES));
  }

  private int offset(int i) {
    return Short.reverseBytes(buffer.getShort(offsetsAt + i * Short.BYTES)) & 0xFFFF;
  }

  /**
   * Finds the first entry at or after (key, trailer) in internal order, and enters its group. The
   * block has just been {@linkplain #enter entered}.
   *
   * @return twice its number, which is {@link #groupEnd} when there is none, plus 1 if it is a
   *     version of that key; {@link #UNREADABLE} if the {@linkplain #entryAt entry located last}
   *     cannot be read
   */
  public final int find(byte[] key, int offset, int length, long trailer) {
    int found = findInGroup(key, offset, length, trailer);
    while (found >>> 1 == count && enterNext()) {
      found = count == 0 ? UNREADABLE : findInGroup(key, offset, length, trailer);
    }
    return found < 0 ? UNREADABLE : found + (first << 1);
  }

  /** The same for the entries of the group alone, which are counted from 0. */
  private int findInGroup(byte[] key, int offset, int length, long trailer) {
    int prefix = prefixBytes;
    int order =
        compare(buffer, groupAt + HEAD_BYTES, prefix, key, offset, Math.min(length, prefix));
    if (order != 0) {
      return order > 0 ? 0 : count << 1;
    }
    int from = offset + prefix;
    int left = length - prefix;
    int shift = Long.SIZE - Byte.SIZE * wordBytes;
    long target = Bytes.prefix(key, from, left) >>> shift;
    int low = wordsBelow(target, shift);
    if (low == count || word(low, shift) != target) {
      return low << 1;
    }
    int high =
        low + 1 < count && word(low + 1, shift) == target ? wordsUpTo(low, target, shift) : low + 1;
    int isKey = 0;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (!locateInGroup(middle)) {
        return UNREADABLE;
      }
      order = compareRest(key, from, left);
      if (order > 0 || (order == 0 && trailer() <= trailer)) {
        high = middle;
        isKey = order == 0 ? 1 : 0;
      } else {
        low = middle + 1;
      }
    }
    return low << 1 | isKey;
  }

  /** Number of words that are smaller than a word. */
  private int wordsBelow(long target, int shift) {
    int low = 0;
    int size = count;
    while (size > 0) {
      int half = (size + 1) >>> 1;
      // A conditional move, no branch.
      low += word(low + half - 1, shift) + Long.MIN_VALUE < target + Long.MIN_VALUE ? half : 0;
      size -= half;
    }
    return low;
  }

  /** Number of words that are not larger than a word, of which there is one with that number. */
  private int wordsUpTo(int number, long target, int shift) {
    int low = number + 1;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(word(middle, shift), target) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long word(int number, int shift) {
    return Long.reverseBytes(buffer.getLong(wordsAt + number * wordBytes)) >>> shift;
  }

  /** Compares the entry located last with a key that has the same prefix and word. */
  private int compareRest(byte[] key, int from, int left) {
    int inWord = Math.min(wordBytes, left);
    int order = compare(buffer, restAt, valueAt - restAt, key, from + inWord, left - inWord);
    // Of two keys that end in the word, the shorter one comes first: the other has zeros.
    return order != 0 ? order : suffixLength - left;
  }

  /** Compares bytes of a buffer with bytes of an array, unsigned; a proper prefix comes first. */
  private static int compare(
      ByteBuffer buffer, int at, int length, byte[] key, int keyAt, int keyLength) {
    int limit = Math.min(length, keyLength);
    int i = 0;
    while (i <= limit - Long.BYTES) {
      long mine = Long.reverseBytes(buffer.getLong(at + i));
      long yours = Bytes.getLong(key, keyAt + i);
      if (mine != yours) {
        return Long.compareUnsigned(mine, yours);
      }
      i += Long.BYTES;
    }
    if (i < limit) {
      long mine = Bytes.firstOf(Long.reverseBytes(buffer.getLong(at + i)), limit - i);
      long yours = Bytes.prefix(key, keyAt + i, limit - i);
      if (mine != yours) {
        return Long.compareUnsigned(mine, yours);
      }
    }
    return length - keyLength;
  }

  /**
   * Finds an entry's key and value by its number. Returns false when they are not within the block,
   * or are followed by nothing.
   */
  public final boolean locate(int number) {
    return (isInGroup(number) || enterGroupWith(number)) && locateInGroup(number - first);
  }

  private boolean isInGroup(int number) {
    return Integer.compareUnsigned(number - first, count) < 0;
  }

  private boolean locateInGroup(int number) {
    int from;
    int to;
    if (count == 1) {
      from = Integer.reverseBytes(buffer.getInt(offsetsAt));
      to = Integer.reverseBytes(buffer.getInt(offsetsAt + Integer.BYTES));
    } else {
      int both = Integer.reverseBytes(buffer.getInt(offsetsAt + number * Short.BYTES));
      from = both >>> Short.SIZE;
      to = both & 0xFFFF;
    }
    from += start;
    to += start;
    entryAt = from;
    if (from < entriesAt || from >= to || to >= end) {
      entryAt = offsetsAt;
      return false;
    }
    header = buffer.getLong(from);
    int at = from + headerBytes;
    int suffix = suffixBytes;
    if (suffix < 0) {
      suffix = buffer.get(at++);
      if (suffix < 0) {
        suffix = (suffix & 0x7F) | (buffer.get(at) & 0x7F) << 7;
        if (buffer.get(at++) < 0) {
          suffix |= buffer.get(at++) << 14;
        }
      }
    }
    suffixLength = suffix;
    restAt = at;
    valueAt = at + Math.max(0, suffix - wordBytes);
    next = to;
    return suffix >= 0 && valueAt <= to && (header & KIND_MASK) != 0 && buffer.get(to) != 0;
  }

  /**
   * Whether the word of the entry located last, if its key ends there, is filled up with zeros: the
   * order of the words is that of the keys only then.
   */
  public final boolean isFilledUp(int number) {
    int more = wordBytes - suffixLength;
    long word = word(number - first, Long.SIZE - Byte.SIZE * wordBytes);
    return Long.numberOfTrailingZeros(word) >= Byte.SIZE * more;
  }

  /** Where the entry located last begins, or where it says so if that cannot be. */
  public final int entryAt() {
    return entryAt;
  }

  /** Where the value of the entry located last begins. */
  public final int valueAt() {
    return valueAt;
  }

  /** Where the entry located last ends. */
  public final int next() {
    return next;
  }

  /** Length of the value of the entry located last. */
  public final int valueLength() {
    return next - valueAt;
  }

  /** Length of the key of the entry located last. */
  public final int keyLength() {
    return prefixBytes + suffixLength;
  }

  /**
   * Copies the key of the entry located last, without the prefix, to where it belongs in an array.
   * Up to eight bytes after it are changed.
   */
  final void copyKey(int entry, byte[] into) {
    ByteBuffer in = buffer;
    copyWord(in, wordsAt + (entry - first) * wordBytes, into, prefixBytes);
    int from = restAt;
    int length = valueAt - from;
    if (length > 0) {
      int to = prefixBytes + wordBytes;
      if (length <= Long.BYTES) {
        copyWord(in, from, into, to);
      } else if (length <= 2 * Long.BYTES) {
        copyWord(in, from, into, to);
        copyWord(in, valueAt - Long.BYTES, into, to + length - Long.BYTES);
      } else {
        in.get(from, into, to, length);
      }
    }
  }

  private static void copyWord(ByteBuffer from, int at, byte[] into, int to) {
    Bytes.putLong(into, to, Long.reverseBytes(from.getLong(at)));
  }

  /**
   * Sequence number and kind of the entry located last; negative when the sequence number is out of
   * range.
   */
  public final long trailer() {
    int unused = Long.SIZE - Byte.SIZE * headerBytes;
    long sequence = base + (header << unused >>> unused >>> EntryKind.BITS);
    return (sequence & ~Trailer.MAX_SEQUENCE) == 0
        ? Trailer.of(sequence, ((int) header & KIND_MASK) - 1)
        : -1;
  }
}
