package io.sifr.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener.StallEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With OpenTelemetry: the tracer of Micrometer's tests does not keep the end of a span. */
class SifrSpansTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678901234Z");

  @TempDir Path directory;

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
  private final OtelCurrentTraceContext context = new OtelCurrentTraceContext();
  private final Tracer tracer =
      new OtelTracer(
          provider.get("test"),
          context,
          event -> {},
          new OtelBaggageManager(context, List.of(), List.of()));

  @AfterEach
  void close() {
    provider.close();
  }

  private List<SpanData> spans(String name) {
    return exporter.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  private void request(Runnable work) {
    Span request = tracer.nextSpan().name("request").start();
    try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
      assertThat(scope).isNotNull();
      work.run();
    } finally {
      request.end();
    }
  }

  private static long nanos(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }

  @Test
  void flushesAndCompactionsAreTracesOfTheirOwn() {
    StoreOptions options =
        StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build();
    try (Store store =
        Store.builder(directory)
            .options(options)
            .listener(new SifrSpans(tracer, directory, () -> NOW))
            .open()) {
      Database other = store.openOrCreateDatabase("other");
      request(
          () -> {
            for (int i = 0; i < 4; i++) {
              other.put(KEY, new byte[] {(byte) i});
              store.flush();
            }
            store.awaitIdle();
          });
    }
    assertThat(spans("sifr.store.flush"))
        .hasSize(4)
        .allSatisfy(span -> assertThat(text(span, "entries")).isEqualTo("1"));
    assertThat(spans("sifr.store.compaction"))
        .isNotEmpty()
        .allSatisfy(span -> assertThat(text(span, "reason")).isNotEmpty())
        .allSatisfy(span -> assertThat(text(span, "stage")).isNotEmpty());
    String request = spans("request").get(0).getTraceId();
    for (String name : List.of("sifr.store.flush", "sifr.store.compaction")) {
      assertThat(spans(name))
          .allSatisfy(
              span -> {
                assertThat(span.getParentSpanContext().isValid()).isFalse();
                assertThat(span.getTraceId()).isNotEqualTo(request);
                assertThat(text(span, "store"))
                    .isEqualTo(directory.toAbsolutePath().normalize().toString());
                assertThat(text(span, "database")).isEqualTo("other");
                assertThat(span.getEndEpochNanos()).isEqualTo(nanos(NOW));
                assertThat(span.getStartEpochNanos()).isLessThan(nanos(NOW));
              });
    }
  }

  /** A number or a string, as a text. */
  private static String text(SpanData span, String key) {
    Object number = span.getAttributes().get(AttributeKey.longKey(key));
    return String.valueOf(
        number == null ? span.getAttributes().get(AttributeKey.stringKey(key)) : number);
  }

  @Test
  void aStallIsAChildOfTheWritersSpan() {
    SifrSpans listener = new SifrSpans(tracer, directory, () -> NOW);
    listener.stalled(new StallEvent("default", 1_000_000));
    assertThat(exporter.getFinishedSpanItems()).isEmpty();

    request(() -> listener.stalled(new StallEvent("default", 250_000_001)));
    SpanData request = spans("request").get(0);
    SpanData stall = spans("sifr.store.stall").get(0);
    assertThat(stall.getTraceId()).isEqualTo(request.getTraceId());
    assertThat(stall.getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(stall.getEndEpochNanos()).isEqualTo(nanos(NOW));
    assertThat(stall.getStartEpochNanos()).isEqualTo(nanos(NOW) - 250_000_001);
    assertThat(text(stall, "database")).isEqualTo("default");
  }
}
