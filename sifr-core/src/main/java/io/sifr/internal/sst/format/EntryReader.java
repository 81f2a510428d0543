package io.sifr.internal.sst.format;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * Reads the entries of one block after another, in order, and builds their keys. It checks only
 * what keeps it from reading beyond the block; a caller that trusts the block less makes further
 * checks between {@link #decode} and {@link #take}. For one thread.
 */
public final class EntryReader extends EntryHeader {
  /** Suffixes up to this length are always copied as two longs. */
  private static final int SHORT_SUFFIX = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // The block.
  public ByteBuffer buffer = NOTHING;
  public int start;
  public int entriesEnd;
  private long base;

  /** The key of the current entry, with room to copy a short suffix past its end. */
  public byte[] key = new byte[64];

  public int keyLength;

  /** The start of the entry that was decoded last, or set by {@link #standAt}. */
  public int at;

  /** Eight bytes from {@link #next} on, loaded early to overlap the cache miss. */
  private long nextWord;

  /** Sequence number and kind of the current entry; negative if the number is out of range. */
  public long trailer;

  /**
   * Starts a block, whose trailer was checked, before its first entry.
   *
   * @param in little-endian
   * @param from start of the raw form
   * @param to end of the raw form
   * @param baseSequence added to the sequence numbers of the entries
   */
  public void enter(ByteBuffer in, int from, int to, long baseSequence) {
    buffer = in;
    start = from;
    entriesEnd = BlockTrailer.entriesEnd(in, to);
    base = baseSequence;
    rewind();
  }

  /** Moves back to before the first entry. */
  public void rewind() {
    keyLength = 0;
    moveTo(start);
  }

  /** Continues with the entry that begins there; the key before it is that of the current entry. */
  public void moveTo(int entryAt) {
    next = entryAt;
    nextWord = buffer.getLong(entryAt);
  }

  /** Whether the block has another entry. */
  public boolean hasNext() {
    return next < entriesEnd;
  }

  /** Decodes the header of the next entry. Returns false when it is damaged. */
  public boolean decode() {
    at = next;
    return decode(buffer, at, nextWord, entriesEnd, keyLength);
  }

  /** Whether the length of the previous key is needed to decode the entry. */
  public boolean repeatsLength() {
    return repeatsLength(buffer, at);
  }

  /** Whether the decoded entry comes after the current one in internal order. */
  public boolean isInOrder() {
    int order = compare(buffer, this, key, 0, keyLength, shared);
    boolean isSameKey = order >>> 1 == suffixLength() && suffixLength() == keyLength - shared;
    return isSameKey
        ? Trailer.sequence(trailer(base)) < Trailer.sequence(trailer)
        : (order & 1) != 0;
  }

  /** Makes the decoded entry the current one, and builds its key. */
  public void take() {
    int suffix = suffixLength();
    int length = decodedKeyLength();
    if (length + SHORT_SUFFIX > key.length) {
      growKey(length + SHORT_SUFFIX);
    }
    if (suffix <= SHORT_SUFFIX) {
      // Bytes read in excess are still within the block's trailers, see EntryHeader.
      Bytes.putLong(key, shared, Long.reverseBytes(buffer.getLong(suffixAt)));
      Bytes.putLong(
          key, shared + Long.BYTES, Long.reverseBytes(buffer.getLong(suffixAt + Long.BYTES)));
    } else {
      buffer.get(suffixAt, key, shared, suffix);
    }
    keyLength = length;
    nextWord = buffer.getLong(next);
    trailer = trailer(base);
  }

  /** Makes an entry that was read earlier the current one, except for its key. */
  public void standAt(int entryAt, int entryValueAt, int entryNext, long entryTrailer) {
    at = entryAt;
    valueAt = entryValueAt;
    next = entryNext;
    trailer = entryTrailer;
  }

  /** Sets the current key. */
  public void setKey(byte[] array, int offset, int length) {
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
}
