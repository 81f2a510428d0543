package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.Suppressed.BufferConfig;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Windows that are emitted when they close are those that a suppressed table emits, in its order: by
 * time and then by key. However far the time of the stream goes at once, and however rarely they are
 * emitted.
 */
@Tag("model")
class WindowCloseTest {
  private static final int RECORDS = 300;

  /** So late that all windows are closed by it, and that it is in none of them. */
  private static final long END = Duration.ofDays(100).toMillis();

  /** All sliding windows have the same length. */
  private static final Comparator<String> BY_START_AND_KEY =
      Comparator.comparingLong((String text) -> Long.parseLong(text.substring(0, text.indexOf('-'))))
          .thenComparing(Comparator.naturalOrder());

  @TempDir Path directory;

  /** Kinds of windows. */
  enum Kind {
    TUMBLING,
    TUMBLING_WITH_GRACE,
    HOPPING,
    HOPPING_WITH_GRACE,
    SLIDING,
    SLIDING_WITH_GRACE,
    SESSION,
    SESSION_WITH_GRACE
  }

  private static Counted counted(Kind kind, KGroupedStream<String, String> stream) {
    return switch (kind) {
      case TUMBLING -> count(stream, TimeWindows.ofSizeWithNoGrace(seconds(30)));
      case TUMBLING_WITH_GRACE -> count(stream, TimeWindows.ofSizeAndGrace(seconds(30), seconds(10)));
      case HOPPING -> count(stream, TimeWindows.ofSizeWithNoGrace(seconds(60)).advanceBy(seconds(20)));
      case HOPPING_WITH_GRACE -> count(
                stream,
                TimeWindows.ofSizeAndGrace(seconds(60), seconds(60)).advanceBy(seconds(20)));
      case SLIDING -> count(stream, SlidingWindows.ofTimeDifferenceWithNoGrace(seconds(10)));
      case SLIDING_WITH_GRACE -> count(stream, SlidingWindows.ofTimeDifferenceAndGrace(seconds(10), seconds(15)));
      case SESSION -> count(stream, SessionWindows.ofInactivityGapWithNoGrace(seconds(8)));
      case SESSION_WITH_GRACE -> count(stream, SessionWindows.ofInactivityGapAndGrace(seconds(8), seconds(10)));
    };
  }

  /** Counts of windows, with a strategy that emits them. */
  private interface Counted {
    KTable<Windowed<String>, Long> emitted(EmitStrategy strategy);
  }

  private static Counted count(KGroupedStream<String, String> stream, TimeWindows windows) {
    return strategy -> stream.windowedBy(windows).emitStrategy(strategy).count();
  }

  private static Counted count(KGroupedStream<String, String> stream, SlidingWindows windows) {
    return strategy -> stream.windowedBy(windows).emitStrategy(strategy).count();
  }

  private static Counted count(KGroupedStream<String, String> stream, SessionWindows windows) {
    return strategy -> stream.windowedBy(windows).emitStrategy(strategy).count();
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  static Stream<Arguments> cases() {
    List<Boolean> both = List.of(true, false);
    return Stream.of(Kind.values())
        .flatMap(
            kind ->
                both.stream()
                    .flatMap(
                        isCached ->
                            both.stream()
                                .flatMap(
                                    isTransactional ->
                                        Stream.of(3, 60)
                                            .map(
                                                pace ->
                                                    Arguments.of(
                                                        kind, isCached, isTransactional, pace)))));
  }

  /**
   * The test.
   *
   * @param pace by how many seconds the time of the stream goes on at most, from record to record
   */
  @ParameterizedTest
  @MethodSource("cases")
  void emittedAsBySuppress(Kind kind, boolean isCached, boolean isTransactional, int pace) throws Exception {
    long seed = Long.getLong("sifr.seed", new Random().nextLong());
    System.out.println("WindowCloseTest: -Dsifr.seed=" + seed);
    List<KeyValue<String, String>> emitted = run(kind, isCached, isTransactional, pace, seed, true);
    // The end of a sliding window belongs to it, so that a suppressed table shows it too early: before
    // others of that end, if their last record comes just then, and once more with its last count.
    Map<String, String> suppressed =
        kind == Kind.SLIDING || kind == Kind.SLIDING_WITH_GRACE
            ? new TreeMap<>(BY_START_AND_KEY)
            : new LinkedHashMap<>();
    run(kind, false, false, pace, seed, false).forEach(entry -> suppressed.put(entry.key, entry.value));
    assertThat(suppressed).hasSizeGreaterThan(20);
    List<String> expected = new ArrayList<>();
    suppressed.forEach((key, value) -> expected.add(key + ": " + value));
    assertThat(emitted).map(entry -> entry.key + ": " + entry.value).isEqualTo(expected);
  }

  private List<KeyValue<String, String>> run(Kind kind, boolean isCached, boolean isTransactional, int pace, long seed, boolean isEmitted)
      throws Exception {
    StreamsBuilder builder = new StreamsBuilder();
    KGroupedStream<String, String> stream =
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()))
            .groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
    Counted counted = counted(kind, stream);
    KTable<Windowed<String>, Long> table =
        isEmitted
            ? counted.emitted(EmitStrategy.onWindowClose())
            : counted
                .emitted(EmitStrategy.onWindowUpdate())
                .suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()));
    table
        .toStream()
        .filter((key, count) -> !key.key().equals("end"))
        .map((key, count) -> KeyValue.pair(text(key), count.toString()))
        .to("out", Produced.with(Serdes.String(), Serdes.String()));
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "windows");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nobody");
    settings.put(
        StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory(directory, "state").toString());
    settings.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, SifrDslStoreSuppliers.class);
    // Kafka Streams has this since 4.4.
    settings.put("enable.transactional.statestores", isTransactional);
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, isCached ? 10_000_000 : 0);
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(settings), settings)) {
      TestInputTopic<String, String> in =
          driver.createInputTopic("in", new StringSerializer(), new StringSerializer());
      Random random = new Random(seed);
      long now = 0;
      for (int i = 0; i < RECORDS; i++) {
        now += random.nextInt(pace * 1_000);
        String key = "key-" + random.nextInt(5);
        in.pipeInput(key, "value", Math.max(0, now - random.nextInt(30_000)));
        if (random.nextInt(4) == 0) {
          // They are emitted once a second of this time at most.
          driver.advanceWallClockTime(Duration.ofMillis(500 + random.nextInt(1_000)));
        }
      }
      driver.advanceWallClockTime(Duration.ofSeconds(5));
      in.pipeInput("end", "value", END);
      Deserializer<String> texts = new StringDeserializer();
      return driver.createOutputTopic("out", texts, texts).readKeyValuesToList();
    }
  }

  private static String text(Windowed<String> key) {
    return key.window().start() + "-" + key.window().end() + " " + key.key();
  }
}
