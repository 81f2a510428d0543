package io.sifr.internal.entry;

/**
 * Sequence number and kind of an entry in one long: {@code sequence << 8 | kind}. It stays
 * positive, and for one user key the larger trailer is the newer version.
 */
public final class Trailer {
  /** Largest sequence number there can be; also "no snapshot: see everything". */
  public static final long MAX_SEQUENCE = (1L << 55) - 1;

  private Trailer() {}

  /** Packs a sequence number and a kind. */
  public static long of(long sequence, EntryKind kind) {
    return sequence << 8 | kind.code();
  }

  /**
   * The trailer that comes before every entry a reader at {@code sequence} may see, and behind all
   * newer ones.
   */
  public static long seek(long sequence) {
    return sequence << 8 | 0xFF;
  }

  /** Sequence number in a trailer. */
  public static long sequence(long trailer) {
    return trailer >>> 8;
  }

  /** Whether the trailer is that of a tombstone. */
  public static boolean isTombstone(long trailer) {
    return (trailer & 0xFF) == EntryKind.DELETE.code();
  }

  /** Kind in a trailer. */
  public static EntryKind kind(long trailer) {
    return EntryKind.ofCode((int) trailer & 0xFF);
  }
}
