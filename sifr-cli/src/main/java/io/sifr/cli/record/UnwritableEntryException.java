package io.sifr.cli.record;

import java.io.IOException;

/** A format cannot represent an entry so that it would be read back unchanged. */
public final class UnwritableEntryException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param key of the entry
   * @param what what the format cannot write
   * @param instead options with which the entry can be written
   */
  UnwritableEntryException(byte[] key, String what, String instead) {
    super(
        "cannot write the entry of key '" + TextBytes.escape(key) + "': " + what + "; " + instead);
  }
}
