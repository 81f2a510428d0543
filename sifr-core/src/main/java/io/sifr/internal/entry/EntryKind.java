package io.sifr.internal.entry;

/** What a write did to its key. The code is part of the file formats. */
public enum EntryKind {
  /** The key has a value. */
  PUT(0),
  /** A tombstone: the key has no value, whatever older entries say. */
  DELETE(1);

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
}
