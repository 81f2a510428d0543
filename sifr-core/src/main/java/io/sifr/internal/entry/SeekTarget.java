package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;

/**
 * A place that walks can be led to, the same for all walks of a merge. Immutable, but its key is
 * the array of whoever made it.
 */
public final class SeekTarget {
  /** See {@link EntryIterator#seekToFirst}. */
  public static final SeekTarget FIRST = new SeekTarget(Place.FIRST, Bytes.EMPTY, 0, 0, 0);

  /** See {@link EntryIterator#seekToLast}. */
  public static final SeekTarget LAST = new SeekTarget(Place.LAST, Bytes.EMPTY, 0, 0, 0);

  /** What is meant by a place. */
  public enum Place {
    /** The first entry of all. */
    FIRST,
    /** The last entry of all. */
    LAST,
    /** The first entry at or behind a key. */
    AT_KEY,
    /** The last entry before a key. */
    BEFORE_KEY
  }

  private final Place place;
  private final byte[] key;
  private final int offset;
  private final int length;
  private final long trailer;

  private SeekTarget(Place place, byte[] key, int offset, int length, long trailer) {
    this.place = place;
    this.key = key;
    this.offset = offset;
    this.length = length;
    this.trailer = trailer;
  }

  /** See {@link EntryIterator#seek}. */
  public static SeekTarget at(byte[] key, int offset, int length, long trailer) {
    return new SeekTarget(Place.AT_KEY, key, offset, length, trailer);
  }

  /** See {@link EntryIterator#seekBefore}. */
  public static SeekTarget before(byte[] key, int offset, int length) {
    long newest = Trailer.seek(Trailer.MAX_SEQUENCE);
    return new SeekTarget(Place.BEFORE_KEY, key, offset, length, newest);
  }

  /** What the key means. */
  public Place place() {
    return place;
  }

  /** Array with the key; of no use for the first and the last place. */
  public byte[] key() {
    return key;
  }

  /** Where in the array the key begins. */
  public int offset() {
    return offset;
  }

  /** Bytes of the key. */
  public int length() {
    return length;
  }

  /** The trailer that comes with the key. */
  public long trailer() {
    return trailer;
  }

  /** Sequence number of the newest version that is at or behind the place. */
  public long sequence() {
    return Trailer.sequence(trailer);
  }
}
