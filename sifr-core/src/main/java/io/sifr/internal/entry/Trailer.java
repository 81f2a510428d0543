package io.sifr.internal.entry;

/**
 * Sequence number and kind of an entry in one long: {@code sequence << 4 | kind}. It is not
 * negative, and for one user key the larger trailer is that of the newer version.
 */
public final class Trailer {
  /** Largest sequence number; also used for "no snapshot: everything is visible". */
  public static final long MAX_SEQUENCE = (1L << 55) - 1;

  private static final int KIND_MASK = (1 << EntryKind.BITS) - 1;

  private Trailer() {}

  /** Packs a sequence number and a kind. */
  public static long of(long sequence, EntryKind kind) {
    return of(sequence, kind.code());
  }

  /** Packs a sequence number and the code of a kind, 0 to 15. */
  public static long of(long sequence, int kind) {
    return sequence << EntryKind.BITS | kind;
  }

  /**
   * The trailer that is before every entry that a reader at {@code sequence} may see, and after all
   * newer ones.
   */
  public static long seek(long sequence) {
    return of(sequence, KIND_MASK);
  }

  /** Sequence number in a trailer. */
  public static long sequence(long trailer) {
    return trailer >>> EntryKind.BITS;
  }

  public static boolean isPut(long trailer) {
    return kind(trailer) == EntryKind.CODE_OF_PUT;
  }

  public static boolean isTombstone(long trailer) {
    return kind(trailer) == EntryKind.CODE_OF_DELETE;
  }

  /** Code of the kind in a trailer, 0 to 15. */
  public static int kind(long trailer) {
    return (int) trailer & KIND_MASK;
  }
}
