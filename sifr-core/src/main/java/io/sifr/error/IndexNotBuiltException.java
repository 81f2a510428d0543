package io.sifr.error;

import org.jspecify.annotations.Nullable;

/**
 * An index cannot be read, because it does not have all entries: those are not indexed yet that
 * were there when it was declared, or that were ingested, or the snapshot to be read is older than
 * the index. {@link io.sifr.Index#awaitBuilt} waits for it. The cause, if there is one, says why it
 * cannot be built: it is tried again when the store is opened, and by {@link
 * io.sifr.Index#rebuild}.
 */
public final class IndexNotBuiltException extends SifrException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which index, and why
   * @param cause why it cannot be built; null if that only takes time
   */
  public IndexNotBuiltException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
