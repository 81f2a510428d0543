package io.sifr.internal.engine;

import io.sifr.event.StoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Isolates the store from failures of a user's listener: whatever it throws is logged, errors
 * included, so that it ends no background thread or writer.
 */
final class QuietListener implements StoreListener {
  private static final Logger LOG = LoggerFactory.getLogger(QuietListener.class);

  private final StoreListener listener;

  QuietListener(StoreListener listener) {
    this.listener = listener;
  }

  @Override
  public void flushed(FlushEvent event) {
    tell(() -> listener.flushed(event));
  }

  @Override
  public void compacted(CompactionEvent event) {
    tell(() -> listener.compacted(event));
  }

  @Override
  public void stalled(StallEvent event) {
    tell(() -> listener.stalled(event));
  }

  @Override
  public void failed(FailureEvent event) {
    tell(() -> listener.failed(event));
  }

  private static void tell(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("a listener failed", e);
    }
  }
}
