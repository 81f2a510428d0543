package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import org.jspecify.annotations.Nullable;

/**
 * The failures in a row of one kind of background work, which is tried again because nothing of it
 * was committed. A full disk is asked for space every 200 ms; other failures are given 100 ms to
 * pass, then twice as long each time, up to 5 s.
 *
 * <p>Those who wait for the work hear of a full disk at once: it lasts until somebody frees space.
 * Other failures mostly pass, so they hear of them only when the work has failed {@value
 * #MOST_AWAITED} times and once more, after 1.5 s. Guarded by its user.
 */
final class Attempts {
  /** So many failures in a row are waited for. */
  static final int MOST_AWAITED = 4;

  private static final long FULL_PAUSE_MILLIS = 200;
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5000;

  private int failures;
  private @Nullable StoreIoException last;
  private boolean isPausing;

  /** Whether this is not just what the attempt before failed with, so that users are to be told. */
  boolean isNews(StoreIoException failure) {
    return last == null || !last.getClass().equals(failure.getClass());
  }

  /**
   * Notes that an attempt failed; until {@link #next} none is made.
   *
   * @return milliseconds to wait before the next
   */
  long failed(StoreIoException failure) {
    failures++;
    last = failure;
    isPausing = true;
    return failure instanceof StoreFullException
        ? FULL_PAUSE_MILLIS
        : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
  }

  /** The pause is over. */
  void next() {
    isPausing = false;
  }

  /** Whether the next attempt has to wait. */
  boolean isPausing() {
    return isPausing;
  }

  /**
   * An attempt succeeded.
   *
   * @return how many had failed before
   */
  int succeeded() {
    int before = failures;
    failures = 0;
    last = null;
    isPausing = false;
    return before;
  }

  /**
   * Throws what the last attempt failed with, while the next one waits, if it is not worth waiting
   * for.
   */
  void check() {
    StoreIoException cause = last;
    if (isPausing
        && cause != null
        && (cause instanceof StoreFullException || failures > MOST_AWAITED)) {
      throw cause.again();
    }
  }
}
