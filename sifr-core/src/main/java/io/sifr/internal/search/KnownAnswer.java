package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.util.Failures;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate in memory has said while some above it were still to be read: it counts when
 * they have all said no, be it an answer or a failure. For one thread.
 */
final class KnownAnswer {
  private final Lookup lookup = new Lookup();
  private boolean found;
  private @Nullable Throwable failure;

  /** Asks the candidate. Never throws. */
  void search(Candidate candidate) {
    try {
      found = candidate.search(lookup);
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Whether what is below the last candidate counts for nothing. */
  boolean isKnown() {
    return found || failure != null;
  }

  /**
   * Hands the answer on.
   *
   * @return whether there is one
   * @throws RuntimeException what the candidate threw
   */
  boolean take(Lookup into) {
    if (failure != null) {
      throw Failures.unchecked(failure);
    }
    if (found) {
      into.take(lookup);
    }
    return found;
  }

  void release() {
    lookup.release();
  }
}
