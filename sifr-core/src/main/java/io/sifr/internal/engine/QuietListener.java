package io.sifr.internal.engine;

import io.sifr.event.StoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A user's listener whose failures stay its own: whatever it throws is logged, errors included,
 * because a background thread or a writer must not end by it.
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
