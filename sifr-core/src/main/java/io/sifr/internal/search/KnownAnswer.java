package io.sifr.internal.search;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.util.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The result, an answer or a failure, of a candidate in memory while some of higher priority still
 * had to be read. It counts if none of these holds the key. For one thread.
 */
final class KnownAnswer {
  private final Lookup lookup = new Lookup();
  private boolean found;
  private @Nullable Throwable failure;

  /** Searches the candidate. Never throws. */
  void search(Candidate candidate) {
    try {
      found = candidate.search(lookup);
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Whether the last candidate gave a result, so that those below it do not matter. */
  boolean isKnown() {
    return found || failure != null;
  }

  /**
   * Hands over the answer.
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
