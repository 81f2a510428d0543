package io.sifr.cli.record;

import java.nio.charset.StandardCharsets;

/** The text form of the bytes of a key or of a value in a field of a row. */
public enum FieldText {
  /** Unchanged. */
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
  /** With escapes for bytes that are not printable: see {@link TextBytes}. */
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
  /** Two hexadecimal digits per byte. */
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
   * The bytes that a field represents.
   *
   * @throws IllegalArgumentException when the field is not written in this way
   */
  abstract byte[] decode(byte[] field);

  /** The field that represents bytes. */
  abstract byte[] encode(byte[] bytes);
}
