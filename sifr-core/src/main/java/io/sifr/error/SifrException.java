package io.sifr.error;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of everything a store throws that is not the caller's mistake: a damaged file, a full
 * disk, a failing device, a directory that is open already. Mistakes of the caller are {@link
 * IllegalArgumentException} (a bad argument) and {@link IllegalStateException} (use after close).
 */
public class SifrException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, to which file, and what the reader can do about it
   * @param cause what the platform reported, if it did
   */
  public SifrException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * @param message what happened, to which file, and what the reader can do about it
   */
  public SifrException(String message) {
    super(message);
  }
}
