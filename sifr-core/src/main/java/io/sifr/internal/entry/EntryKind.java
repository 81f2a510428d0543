package io.sifr.internal.entry;

/**
 * What a write did to its key. The code is part of the file formats, where it takes four bits; log,
 * memtable and SSTs carry it as a number, with a value of any length.
 */
public enum EntryKind {
  /** The key has a value. */
  PUT(0),
  /** A tombstone: the key has no value, whatever older entries say. */
  DELETE(1);

  /** Bits that a code takes. */
  public static final int BITS = 4;

  private static final EntryKind[] BY_CODE = values();

  private final int code;

  EntryKind(int code) {
    this.code = code;
  }

  /** Number that stands for this kind in files and in {@link Trailer}. */
  public int code() {
    return code;
  }

  /**
   * The kind with that code.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static EntryKind ofCode(int code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException(
          "entry kind is " + code + "; allowed: 0 (put), 1 (delete)");
    }
    return BY_CODE[code];
  }

  /** Whether there is a kind with that code, and its entries may have a value of that length. */
  public static boolean isAllowed(int code, long valueLength) {
    return code == PUT.code || (code == DELETE.code && valueLength == 0);
  }
}
