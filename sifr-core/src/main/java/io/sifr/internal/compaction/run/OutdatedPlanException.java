package io.sifr.internal.compaction.run;

import java.util.concurrent.CancellationException;

/**
 * The trees have changed since a compaction was planned, and it cannot begin: nothing was done, and
 * another one is to be planned.
 */
final class OutdatedPlanException extends CancellationException {
  private static final long serialVersionUID = 1L;

  OutdatedPlanException(IllegalArgumentException cause) {
    super("the trees have changed since it was planned: " + cause.getMessage());
    initCause(cause);
  }
}
