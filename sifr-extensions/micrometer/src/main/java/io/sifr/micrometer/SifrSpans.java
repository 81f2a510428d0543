package io.sifr.micrometer;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Makes spans of the flushes, compactions and stalls of a store, so that a trace shows what the
 * store did meanwhile. To be given to the store that is opened:
 *
 * <pre>{@code
 * Store.builder(directory).listener(new SifrSpans(tracer, directory)).open()
 * }</pre>
 *
 * <p>A stall delays one writer: its span {@code sifr.store.stall} is a child of the writer's span,
 * and there is none without that. Flushes and compactions are of no request: {@code
 * sifr.store.flush} and {@code sifr.store.compaction} are traces of their own. Each has the tags
 * {@code store} and {@code database}, and what it has written; a compaction has a {@code reason}.
 * Spans are made when what they show is over, with its beginning and its end.
 *
 * <p>Gets and puts have no spans: they take microseconds. A program makes one, by an {@code
 * Observation}, of what it does with the store. Thread-safe.
 */
public final class SifrSpans implements StoreListener {
  private final Tracer tracer;
  private final String store;
  private final InstantSource clock;

  /**
   * For a store that is about to be opened.
   *
   * @param directory of the store; the tag {@code store} is its absolute path
   */
  public SifrSpans(Tracer tracer, Path directory) {
    this(tracer, directory, InstantSource.system());
  }

  SifrSpans(Tracer tracer, Path directory, InstantSource clock) {
    this.tracer = tracer;
    this.store = directory.toAbsolutePath().normalize().toString();
    this.clock = clock;
  }

  @Override
  public void flushed(FlushEvent event) {
    record(
        written(tracer.spanBuilder().setNoParent().name("sifr.store.flush"), event.written())
            .tag("entries", event.entries()),
        event.database(),
        event.nanos());
  }

  @Override
  public void compacted(CompactionEvent event) {
    record(
        written(
                tracer.spanBuilder().setNoParent().name("sifr.store.compaction"),
                event.output().written())
            .tag("reason", Meters.tag(event.reason()))
            .tag("stage", event.output().stage())
            .tag("ssts.moved", event.output().moved().count()),
        event.database(),
        event.nanos());
  }

  /** Called by the thread of the writer. */
  @Override
  public void stalled(StallEvent event) {
    Span writer = tracer.currentSpan();
    if (writer != null) {
      record(
          tracer.spanBuilder().setParent(writer.context()).name("sifr.store.stall"),
          event.database(),
          event.nanos());
    }
  }

  private static Span.Builder written(Span.Builder span, Ssts ssts) {
    return span.tag("ssts.written", ssts.count()).tag("bytes.written", ssts.bytes());
  }

  private void record(Span.Builder span, String database, long nanos) {
    Instant end = clock.instant();
    span.tag("store", store)
        .tag("database", database)
        .startTimestamp(sinceEpoch(end.minusNanos(nanos)), TimeUnit.NANOSECONDS)
        .start()
        .end(sinceEpoch(end), TimeUnit.NANOSECONDS);
  }

  private static long sinceEpoch(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }
}
