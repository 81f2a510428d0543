package io.sifr.error;

import org.jspecify.annotations.Nullable;

/**
 * A key cannot be read, because the operands that were merged into it cannot be applied: the merge
 * operator has failed, the database has none, or it is not registered. The message names it, the
 * database and the key. Nothing is lost: the operands stay, and the same read succeeds once the
 * operator is there and works. Other keys stay readable.
 */
public final class MergeOperatorException extends SifrException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened
   * @param cause what the operator has thrown; null if nothing
   */
  public MergeOperatorException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
