package io.sifr.map;

import java.io.ByteArrayOutputStream;

/**
 * Bytes with an end of their own, so that others may follow and none are the beginning of others:
 * each zero byte is followed by 0x01, and two zero bytes are the end. Their order stays.
 */
final class Escaping {
  /** Follows each zero byte; larger than what follows the one that ends the bytes. */
  private static final int ESCAPE = 1;

  private Escaping() {}

  static void write(byte[] plain, ByteArrayOutputStream to) {
    for (byte each : plain) {
      to.write(each);
      if (each == 0) {
        to.write(ESCAPE);
      }
    }
    to.write(0);
    to.write(0);
  }

  /**
   * Reads what was written, and returns where it ends.
   *
   * @param what it is, for messages
   * @throws IllegalArgumentException when nothing that was written begins there
   */
  static int read(byte[] bytes, int from, ByteArrayOutputStream plain, String what) {
    for (int at = from; at < bytes.length; at++) {
      if (bytes[at] != 0) {
        plain.write(bytes[at]);
      } else if (at + 1 < bytes.length && bytes[at + 1] == ESCAPE) {
        plain.write(0);
        at++;
      } else if (at + 1 < bytes.length && bytes[at + 1] == 0) {
        return at + 2;
      } else {
        throw new IllegalArgumentException("no " + what + ": byte " + at + " of " + bytes.length);
      }
    }
    throw tooShort(bytes, what);
  }

  static IllegalArgumentException tooShort(byte[] bytes, String what) {
    return new IllegalArgumentException(
        "no " + what + ": it ends after " + bytes.length + " bytes");
  }
}
