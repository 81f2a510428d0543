package io.sifr.internal.sst;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * Reads the entries of one block after the other, in the order in which they lie there, and builds
 * their keys. It checks what it needs lest it read beyond the block; who believes less asks for
 * more between {@link #decode} and {@link #take}. For one thread.
 */
final class EntryReader {
  /** Suffixes up to this length are copied as two longs, whatever their length. */
  private static final int SHORT_SUFFIX = 16;

  private final EntryHeader entry = new EntryHeader();

  // The block.
  ByteBuffer buffer = ByteBuffer.allocate(0);
  int start;
  int entriesEnd;
  private long base;

  /** The key of the entry taken last, and room to copy a short suffix past its end. */
  byte[] key = new byte[64];

  int keyLength;

  // The entry decoded last.
  int at;
  int valueAt;
  int next;

  /** Eight bytes from {@link #next} on, asked for early: they come from memory meanwhile. */
  private long nextWord;

  /** Sequence number and kind of the entry taken last; negative if the number is out of range. */
  long trailer;

  /**
   * Enters a block whose trailer was checked, before its first entry.
   *
   * @param in little-endian
   * @param from where the raw form begins in it
   * @param to where the raw form ends in it
   * @param baseSequence added to the sequence number that an entry gives
   */
  void enter(ByteBuffer in, int from, int to, long baseSequence) {
    buffer = in;
    start = from;
    entriesEnd = BlockTrailer.entriesEnd(in, to);
    base = baseSequence;
    rewind();
  }

  /** Goes before the first entry again. */
  void rewind() {
    keyLength = 0;
    moveTo(start);
  }

  /** Has the entry that begins there come next; the key before it is the one taken last. */
  void moveTo(int entryAt) {
    next = entryAt;
    nextWord = buffer.getLong(entryAt);
  }

  /** Whether the block has another entry. */
  boolean hasNext() {
    return next < entriesEnd;
  }

  /** Decodes the header of the next entry. Returns false when none can be read there. */
  boolean decode() {
    at = next;
    if (!entry.decode(buffer, at, nextWord, entriesEnd, keyLength)) {
      return false;
    }
    valueAt = entry.valueAt;
    next = entry.next;
    return true;
  }

  /** Bytes of its key that the entry decoded shares with the one before. */
  int shared() {
    return entry.shared;
  }

  /** Whether the entry decoded needs the length of the key before to be read. */
  boolean repeatsLength() {
    return EntryHeader.repeatsLength(buffer, at);
  }

  /** Bytes of the key of the entry decoded. */
  int decodedKeyLength() {
    return entry.keyLength();
  }

  /** Whether the entry decoded comes behind the one taken last in internal order. */
  boolean isInOrder() {
    int shared = entry.shared;
    int order = BlockSearch.compare(buffer, entry, key, 0, keyLength, shared);
    boolean isSameKey =
        order >>> 1 == entry.suffixLength() && entry.suffixLength() == keyLength - shared;
    return isSameKey
        ? Trailer.sequence(entry.trailer(base)) < Trailer.sequence(trailer)
        : (order & 1) != 0;
  }

  /** Makes the entry decoded the one taken last: builds its key. */
  void take() {
    int shared = entry.shared;
    int suffix = entry.suffixLength();
    int length = entry.keyLength();
    if (length + SHORT_SUFFIX > key.length) {
      growKey(length + SHORT_SUFFIX);
    }
    if (suffix <= SHORT_SUFFIX) {
      // What is read too much lies before the end of the block's trailers, see EntryHeader.
      int suffixAt = entry.suffixAt;
      Bytes.putLong(key, shared, Long.reverseBytes(buffer.getLong(suffixAt)));
      Bytes.putLong(
          key, shared + Long.BYTES, Long.reverseBytes(buffer.getLong(suffixAt + Long.BYTES)));
    } else {
      buffer.get(entry.suffixAt, key, shared, suffix);
    }
    keyLength = length;
    nextWord = buffer.getLong(next);
    trailer = entry.trailer(base);
  }

  /** Makes a key the one taken last. */
  void setKey(byte[] array, int offset, int length) {
    keyLength = 0;
    if (length > key.length) {
      growKey(length);
    }
    System.arraycopy(array, offset, key, 0, length);
    keyLength = length;
  }

  private void growKey(int atLeast) {
    byte[] larger = new byte[2 * atLeast];
    System.arraycopy(key, 0, larger, 0, keyLength);
    key = larger;
  }

  /** Bytes of the value of the entry decoded. */
  int valueLength() {
    return next - valueAt;
  }
}
