package io.sifr.error;

import org.jspecify.annotations.Nullable;

/**
 * An entry cannot be written, or found by an index, because nobody can say its index keys: the
 * index extractor has failed, has returned what is not allowed, or is not registered. The message
 * names the index, the database and the key. Nothing was written.
 */
public final class IndexExtractorException extends SifrException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened
   * @param cause what the extractor has thrown; null if nothing
   */
  public IndexExtractorException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
