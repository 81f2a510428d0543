package io.sifr.internal.background;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.WorkMonitor.Attempts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles failed work: if nothing of it was committed it is retried after a pause; any other
 * failure, of the manifest above all, stops the writes (I7). Thread-safe.
 */
public final class Retries {
  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

  /**
   * System property by which pauses before a retry are divided, for tests: those that let every
   * call to the disk fail one by one would mostly wait.
   */
  private static final String PAUSES_DIVIDED_PROPERTY = "io.sifr.pausesDivided";

  static final int PAUSES_DIVIDED = Integer.getInteger(PAUSES_DIVIDED_PROPERTY, 1);

  private final WorkParts parts;

  public Retries(WorkParts parts) {
    this.parts = parts;
  }

  /**
   * Retries after a pause, if nothing of the work was committed; else stops the writes.
   *
   * @param what the work, as it is named to users
   * @param attempts the failures of its kind, guarded by the monitor
   * @param again begins due work of that kind
   */
  public void failed(String what, Attempts attempts, StoreIoException e, Runnable again) {
    parts.setup().fileSystem().failed(e.file()); // so that it is not tried again on that device
    // A failure of the manifest, or of the directory's sync, is noted where it happens.
    if (e instanceof StoreFullException || !parts.state().failure().isNoted()) {
      tryAgain(what, attempts, e, again);
    } else {
      stopWrites(what, e);
    }
  }

  private void tryAgain(String what, Attempts attempts, StoreIoException e, Runnable again) {
    boolean isNews;
    synchronized (parts.monitor()) {
      isNews = attempts.isNews(e);
    }
    if (isNews) {
      LOG.warn("a {} failed and is tried again: {}", what, e.getMessage());
      tell(what, e);
    } else {
      LOG.debug("a {} failed again: {}", what, e.getMessage());
    }
    long pauseMillis;
    synchronized (parts.monitor()) {
      pauseMillis = attempts.failed(e);
    }
    later(attempts::next, again, pauseMillis / PAUSES_DIVIDED);
  }

  /** After a pause, changes something that the monitor guards, and begins due work. */
  public void later(Runnable change, Runnable again, long pauseMillis) {
    parts
        .threads()
        .executeLater(
            () -> {
              synchronized (parts.monitor()) {
                change.run();
              }
              again.run();
            },
            pauseMillis);
  }

  /** Stops the writes, because the state of the disk is unknown. */
  public void stopWrites(String what, Throwable e) {
    if (parts.state().failure().note(e)) {
      LOG.error("the store takes no more writes: {} failed", what, e);
      tell(what, e);
    }
    // There are no more flushes: writers that wait for one must check again.
    parts.state().writes().goOn();
  }

  /** Reports a failure to the listener. */
  public void tell(String what, Throwable e) {
    parts.setup().listener().failed(new StoreListener.FailureEvent(what, e));
  }

  /** Logs that work succeeded, if it had failed before. */
  public static void succeeded(String what, int failedBefore) {
    if (failedBefore > 0) {
      LOG.info("a {} succeeded; failed before: {}", what, failedBefore);
    }
  }
}
