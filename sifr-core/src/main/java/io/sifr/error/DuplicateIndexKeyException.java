package io.sifr.error;

/**
 * A write would give two entries of a database one key of a unique index. Nothing was written. The
 * message names the index, the database and the keys.
 */
public final class DuplicateIndexKeyException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final String index;
  private final byte[] indexKey;
  private final byte[] existingKey;

  /**
   * @param index name of the index
   * @param indexKey the key that two entries would have
   * @param existingKey the key of the entry that has it already, or has it in the same batch
   * @param message what was found
   */
  public DuplicateIndexKeyException(
      String index, byte[] indexKey, byte[] existingKey, String message) {
    super(message);
    this.index = index;
    this.indexKey = indexKey.clone();
    this.existingKey = existingKey.clone();
  }

  /** Name of the index. */
  public String index() {
    return index;
  }

  /** A copy of the index key. */
  public byte[] indexKey() {
    return indexKey.clone();
  }

  /** A copy of the key of the entry that has it. */
  public byte[] existingKey() {
    return existingKey.clone();
  }
}
