package io.sifr.leveldb.importer;

/** Why a directory could not be imported. */
final class ImportException extends Exception {
  private static final long serialVersionUID = 1L;

  ImportException(String message) {
    super(message);
  }

  ImportException(String message, Exception cause) {
    super(message, cause);
  }
}
