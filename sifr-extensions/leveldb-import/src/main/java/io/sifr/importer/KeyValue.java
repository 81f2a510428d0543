package io.sifr.importer;

import java.util.HexFormat;

/**
 * A key of a source and its value, as a store will have them.
 *
 * @param key up to 65,536 bytes
 * @param value up to 512 MiB
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
public record KeyValue(byte[] key, byte[] value) {
  private static final int MOST_KEY_BYTES = 1 << 16;
  private static final int MOST_VALUE_BYTES = 1 << 29;
  private static final int BYTES_SHOWN = 16;

  /** Refuses what is too long for a store. */
  void requireFits() throws SourceException {
    if (key.length > MOST_KEY_BYTES) {
      throw new SourceException(
          describe(key) + " is too long: a key of a store has up to " + MOST_KEY_BYTES + " bytes");
    } else if (value.length > MOST_VALUE_BYTES) {
      throw new SourceException(
          "the value of "
              + describe(key)
              + " has "
              + value.length
              + " bytes; one of a store has up to "
              + MOST_VALUE_BYTES);
    }
  }

  /** A key for messages: its length, and its first bytes as hexadecimal digits. */
  public static String describe(byte[] key) {
    int shown = Math.min(key.length, BYTES_SHOWN);
    String digits = HexFormat.of().formatHex(key, 0, shown);
    return "the key of " + key.length + " bytes that begins with " + digits;
  }
}
