package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The location and configuration of a store.
 *
 * @param fileSystem the file system of the store
 * @param directory the store's directory, as a real path
 * @param options the user's settings
 * @param extensions its exchangeable parts
 * @param listener the user's listener; the store's throws nothing
 */
public record Setup(
    StoreFileSystem fileSystem,
    Path directory,
    StoreOptions options,
    Extensions extensions,
    StoreListener listener) {
  /** Lets the listener throw nothing. */
  public Setup {
    listener = new QuietListener(listener);
  }

  /** What is chosen for the user. */
  public Tuning tuning() {
    return extensions.tuning();
  }

  /** The time by the store's clock, in milliseconds since the epoch. */
  public long now() {
    return extensions.clock().millis();
  }

  /**
   * How large SSTs are that are written.
   *
   * @param storeBytes bytes of all SSTs of the store
   */
  public SstSizes sstSizes(long storeBytes) {
    return SstSizes.of(options, tuning().sstsBeforeGrowth(), storeBytes);
  }

  /**
   * Isolates the store from failures of a user's listener: whatever it throws is logged, errors
   * included, so that it ends no background thread or writer.
   */
  private static final class QuietListener implements StoreListener {
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
}
