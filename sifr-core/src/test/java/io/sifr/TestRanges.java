package io.sifr;

import io.sifr.internal.util.Bytes;

/** Shows tests where a range begins. */
public final class TestRanges {
  private TestRanges() {}

  /** Its first key. */
  public static byte[] from(KeyRange range) {
    byte[] from = range.from();
    return from == null ? Bytes.EMPTY : from;
  }
}
