package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.util.Comparator;

/** See {@link Codecs#strings}. */
enum StringCodec implements OrderedCodec<String> {
  STRINGS;

  @Override
  public Comparator<? super String> comparator() {
    return Comparator.naturalOrder();
  }

  @Override
  public byte[] encode(String value) {
    long length = 0;
    for (int i = 0; i < value.length(); i++) {
      length += length(value.charAt(i));
    }
    if (length > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a string of " + value.length() + " chars is too long");
    }
    byte[] bytes = new byte[(int) length];
    int at = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (length(c)) {
        case 1 -> bytes[at] = (byte) c;
        case 2 -> {
          bytes[at] = (byte) (0xC0 | c >> 6);
          bytes[at + 1] = continuation(c);
        }
        default -> {
          bytes[at] = (byte) (0xE0 | c >> 12);
          bytes[at + 1] = continuation(c >> 6);
          bytes[at + 2] = continuation(c);
        }
      }
      at += length(c);
    }
    return bytes;
  }

  private static int length(char c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | (bits & 0x3F));
  }

  @Override
  public String decode(byte[] bytes) {
    StringBuilder value = new StringBuilder(bytes.length);
    int at = 0;
    while (at < bytes.length) {
      int first = bytes[at] & 0xFF;
      int length = first < 0x80 ? 1 : first < 0xE0 ? 2 : 3;
      int c = first < 0x80 ? first : first < 0xE0 ? first & 0x1F : first & 0xF;
      for (int i = 1; i < length && at + i < bytes.length; i++) {
        c = c << 6 | (bytes[at + i] & 0x3F);
      }
      // What does not come out as it was is no encoding: wrong first bytes, a missing end, a
      // detour.
      if (at + length > bytes.length || length((char) c) != length || !isAt(bytes, at, (char) c)) {
        throw new IllegalArgumentException("no string: byte " + at + " of " + bytes.length);
      }
      value.append((char) c);
      at += length;
    }
    return value.toString();
  }

  private static boolean isAt(byte[] bytes, int at, char c) {
    return switch (length(c)) {
      case 1 -> bytes[at] == (byte) c;
      case 2 -> bytes[at] == (byte) (0xC0 | c >> 6) && bytes[at + 1] == continuation(c);
      default ->
          bytes[at] == (byte) (0xE0 | c >> 12)
              && bytes[at + 1] == continuation(c >> 6)
              && bytes[at + 2] == continuation(c);
    };
  }
}
