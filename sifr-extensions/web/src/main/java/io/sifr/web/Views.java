package io.sifr.web;

import io.sifr.Store;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The views of a store from which requests read. Thread-safe. */
interface Views extends AutoCloseable {
  /**
   * The view of now, to be closed after use.
   *
   * @throws IllegalStateException when there is none any more
   */
  View acquire();

  /** Whether they move on although the store is read only. */
  boolean areRefreshed();

  /** Closes what was opened for them. It can be called more than once. */
  @Override
  void close();

  /**
   * A store for one request.
   *
   * @param number of the view, another one for another moment
   * @param since the moment that is seen; null for the present, or if it is not known
   * @param problem why there is no later one although it is time; null if there is none
   * @param release to be called after use
   */
  record View(
      Store store, long number, @Nullable Instant since, @Nullable String problem, Runnable release)
      implements AutoCloseable {
    @Override
    public void close() {
      release.run();
    }
  }

  /** A store that somebody else opens and closes. */
  final class OfStore implements Views {
    private final View view;

    OfStore(Store store) {
      this.view = new View(store, 0, null, null, () -> {});
    }

    @Override
    public View acquire() {
      return view;
    }

    @Override
    public boolean areRefreshed() {
      return false;
    }

    @Override
    public void close() {}
  }
}
