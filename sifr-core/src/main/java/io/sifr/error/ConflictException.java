package io.sifr.error;

import org.jspecify.annotations.Nullable;

/**
 * A condition of a write did not hold, or another writer has changed what a transaction has written
 * or read. Nothing was written. What was read before may be outdated: begin again with fresh reads.
 */
public final class ConflictException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final String database;
  private final byte[] key;

  /**
   * @param database name of the database
   * @param key the key at which it was found
   * @param message what was found, with the key and the database
   */
  public ConflictException(String database, byte[] key, String message) {
    this(database, key, message, null);
  }

  /**
   * @param database name of the database
   * @param key the key at which it was found
   * @param message what was found, with the key and the database
   * @param cause the last conflict, if there were several
   */
  public ConflictException(
      String database, byte[] key, String message, @Nullable ConflictException cause) {
    super(message, cause);
    this.database = database;
    this.key = key.clone();
  }

  /** Name of the database whose key caused the conflict. */
  public String database() {
    return database;
  }

  /**
   * A copy of the key that caused the conflict; if a range had to be unchanged, of a key of it that
   * was changed, or that is in a range that was deleted.
   */
  public byte[] key() {
    return key.clone();
  }
}
