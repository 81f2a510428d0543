package io.sifr.internal.engine;

import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundThreads;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a log that has failed in the fast directory, so that the store goes on without that
 * device: what is in memory, which is safe only in SSTs then (I7), is flushed, and another log is
 * begun in the store's directory. Meanwhile writes wait. A store whose own directory has failed is
 * not trusted with more of its log until it is opened again.
 *
 * <p>Thread-safe.
 */
final class LogReplacement {
  private static final Logger LOG = LoggerFactory.getLogger(LogReplacement.class);

  /** After so long it is tried again, though no flush has ended. */
  private static final long PAUSE_MILLIS = 1000;

  private final Setup setup;
  private final StoreState state;
  private final WritePath writePath;
  private final BackgroundThreads threads;

  // Both of small tasks, which run one after the other.

  /** Whether it was said that the log has failed. */
  private boolean isTold;

  /** Whether it is tried again after a pause. */
  private boolean isPausing;

  LogReplacement(Setup setup, StoreState state, WritePath writePath, BackgroundThreads threads) {
    this.setup = setup;
    this.state = state;
    this.writePath = writePath;
    this.threads = threads;
  }

  /** Begins, or goes on, soon; waits for nothing. */
  void begin() {
    try {
      threads.executeLater(this::goOn, 0);
    } catch (RejectedExecutionException e) {
      LOG.debug("the store is being closed, which flushes what is in memory", e);
    }
  }

  private void goOnAfterPause() {
    if (!isPausing) {
      isPausing = true;
      threads.executeLater(
          () -> {
            isPausing = false;
            goOn();
          },
          PAUSE_MILLIS);
    }
  }

  private void goOn() {
    StoreIoException why = state.log().failedElsewhere();
    if (why == null) {
      return;
    }
    tell(why);
    try {
      if (writePath.rotation().rotateAll() && state.log().replace()) {
        isTold = false;
        state.counters().logReplacements.increment();
        LOG.info("another log was begun: the store takes writes");
        state.writes().goOn();
      } else { // usually this is called before that, at the end of a flush
        goOnAfterPause();
      }
    } catch (SifrException e) {
      LOG.warn("no other log can be begun for now: {}", e.getMessage());
      state.writes().goOn(); // nobody waits for that
      goOnAfterPause();
    }
  }

  private void tell(StoreIoException why) {
    if (!isTold) {
      isTold = true;
      setup.fileSystem().failed(why.file()); // so that flushes do not try to write there
      LOG.warn("the log is replaced, and writes wait for that, because: {}", why.getMessage());
      setup.listener().failed(new StoreListener.FailureEvent("log", why));
    }
  }
}
