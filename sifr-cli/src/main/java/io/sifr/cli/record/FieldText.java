package io.sifr.cli.record;

import java.nio.charset.StandardCharsets;

/** How the bytes of a key or of a value stand in a field of a row. */
public enum FieldText {
  /** As they are. */
  PLAIN {
    @Override
    byte[] decode(byte[] field) {
      return field;
    }

    @Override
    byte[] encode(byte[] bytes) {
      return bytes;
    }
  },
  /** With escapes for what is not printable: see {@link TextBytes}. */
  ESCAPED {
    @Override
    byte[] decode(byte[] field) {
      return TextBytes.unescape(field, 0, field.length);
    }

    @Override
    byte[] encode(byte[] bytes) {
      return TextBytes.escapeToBytes(bytes);
    }
  },
  /** Two hexadecimal digits a byte. */
  HEX {
    @Override
    byte[] decode(byte[] field) {
      return TextBytes.fromHex(new String(field, StandardCharsets.ISO_8859_1));
    }

    @Override
    byte[] encode(byte[] bytes) {
      return TextBytes.toHex(bytes).getBytes(StandardCharsets.US_ASCII);
    }
  };

  /**
   * The bytes that a field stands for.
   *
   * @throws IllegalArgumentException when it is not written so
   */
  abstract byte[] decode(byte[] field);

  /** The field that stands for bytes. */
  abstract byte[] encode(byte[] bytes);
}
