package io.sifr.internal.util;

import java.util.HexFormat;

/** A key as text for messages: verbatim when it is printable ASCII, hexadecimal otherwise. */
public final class KeyText {
  private static final int MAX_BYTES = 40;

  private KeyText() {}

  /** The key as text; a long key is shortened. */
  public static String of(byte[] key) {
    int shown = Math.min(key.length, MAX_BYTES);
    boolean printable = true;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < shown; i++) {
      printable &= key[i] >= ' ' && key[i] <= '~';
      text.append((char) key[i]);
    }
    String end = key.length > shown ? "…" : "";
    return printable
        ? "\"" + text + end + "\""
        : "0x" + HexFormat.of().formatHex(key, 0, shown) + end;
  }
}
