package io.sifr.leveldb;

import io.sifr.event.StoreListener;
import java.util.Locale;
import org.iq80.leveldb.Logger;
import org.jspecify.annotations.Nullable;

/** Logs to LevelDB's interface what a store does in the background. */
final class Messages implements StoreListener {
  private static final double NANOS_PER_MILLI = 1e6;

  private final Logger logger;

  private Messages(Logger logger) {
    this.logger = logger;
  }

  static StoreListener to(@Nullable Logger logger) {
    return logger == null ? StoreListener.NONE : new Messages(logger);
  }

  @Override
  public void flushed(FlushEvent event) {
    log("flushed %d entries in %.1f ms", event.entries(), millis(event.nanos()));
  }

  @Override
  public void compacted(CompactionEvent event) {
    log(
        "merged %d trees of stage %d in %.1f ms, %d bytes written",
        event.inputs().trees(),
        event.inputs().stage(),
        millis(event.nanos()),
        event.output().written().bytes());
  }

  @Override
  public void stalled(StallEvent event) {
    log("a writer waited for %.1f ms", millis(event.nanos()));
  }

  @Override
  public void failed(FailureEvent event) {
    log("%s failed: %s", event.work(), event.cause());
  }

  private static double millis(long nanos) {
    return nanos / NANOS_PER_MILLI;
  }

  private void log(String format, Object... values) {
    logger.log(String.format(Locale.ROOT, format, values));
  }
}
