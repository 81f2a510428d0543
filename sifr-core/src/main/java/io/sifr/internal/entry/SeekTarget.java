package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;

/**
 * The target of a seek, the same for all children of a merging iterator. Immutable, but its key is
 * the caller's array.
 */
public final class SeekTarget {
  /** See {@link EntryIterator#seekToFirst}. */
  public static final SeekTarget FIRST = new SeekTarget(Kind.FIRST, Bytes.EMPTY, 0, 0, 0);

  /** See {@link EntryIterator#seekToLast}. */
  public static final SeekTarget LAST = new SeekTarget(Kind.LAST, Bytes.EMPTY, 0, 0, 0);

  /** The kinds of targets. */
  public enum Kind {
    /** The first entry of all. */
    FIRST,
    /** The last entry of all. */
    LAST,
    /** The first entry at or after a key. */
    AT_KEY,
    /** The last entry before a key. */
    BEFORE_KEY
  }

  private final Kind kind;
  private final byte[] key;
  private final int offset;
  private final int length;
  private final long trailer;

  private SeekTarget(Kind kind, byte[] key, int offset, int length, long trailer) {
    this.kind = kind;
    this.key = key;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** See {@link EntryIterator#seek}. */
  public static SeekTarget at(byte[] key, int offset, int length, long trailer) {
    return new SeekTarget(Kind.AT_KEY, key, offset, length, trailer);
  }

  /** See {@link EntryIterator#seekBefore}. */
  public static SeekTarget before(byte[] key, int offset, int length) {
    long newest = Trailer.seek(Trailer.MAX_SEQUENCE);
    return new SeekTarget(Kind.BEFORE_KEY, key, offset, length, newest);
  }

  /** The kind of the target. */
  public Kind kind() {
    return kind;
  }

  /** Array with the key; unused for the first and the last entry. */
  public byte[] key() {
    return key;
  }

  /** Where in the array the key begins. */
  public int offset() {
    return offset;
  }

  /** Length of the key. */
  public int length() {
    return length;
  }

  /** The trailer that comes with the key. */
  public long trailer() {
    return trailer;
  }

  /** Sequence number of the newest version that is at or after the target. */
  public long sequence() {
    return Trailer.sequence(trailer);
  }
}
