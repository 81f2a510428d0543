package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers;
import org.apache.kafka.streams.state.DslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real broker, and an application with windows of every kind that loses its local state when most
 * of them are older than their retention period. As much is read of each changelog as for the
 * stores on RocksDB, and what is restored is the same.
 */
@Tag("host")
class RestoredWindowsTest {
  private static final int RECORDS = Integer.getInteger("sifr.kafka.records", 2_000);
  private static final int KEYS = 4;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration SIZE = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofSeconds(50);
  private static final Duration RETENTION = SIZE.plus(GRACE);
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** The stores whose windows are emitted when they close: not before the last record is sent. */
  private static final List<String> EMITTED = List.of("emitted-windows", "emitted-sessions");

  /** Long enough ago for all, and within the day for which windows stay in the changelog. */
  private static final long START =
      (System.currentTimeMillis() / 60_000 - Duration.ofHours(12).toMinutes()) * 60_000;

  private static Broker broker;

  @TempDir Path directory;

  @BeforeAll
  static void startBroker(@TempDir Path directory) throws Exception {
    broker = new Broker(directory);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  /**
   * What an application has after it lost its state.
   *
   * @param restored how many records were read, by store
   * @param contents the values in stores, by store, key and window
   * @param emitted the windows that were emitted when they closed
   */
  private record Outcome(
      Map<String, Long> restored, Map<String, Long> contents, Map<String, Long> emitted) {}

  @ParameterizedTest
  @CsvSource({
    StreamsConfig.AT_LEAST_ONCE + ", " + StreamsConfig.DSL_STORE_FORMAT_DEFAULT,
    StreamsConfig.AT_LEAST_ONCE + ", " + StreamsConfig.DSL_STORE_FORMAT_HEADERS,
    StreamsConfig.EXACTLY_ONCE_V2 + ", " + StreamsConfig.DSL_STORE_FORMAT_DEFAULT,
  })
  void noMoreIsReadThanForRocksDb(String guarantee, String format) throws Exception {
    Outcome expected = lostState(RocksDBDslStoreSuppliers.class, guarantee, format);
    Outcome found = lostState(SifrDslStoreSuppliers.class, guarantee, format);
    System.out.println(
        "RestoredWindowsTest, RocksDB, "
            + guarantee
            + ": "
            + expected.restored()
            + ", emitted "
            + expected.emitted().size());
    System.out.println(
        "RestoredWindowsTest, Sifr, "
            + guarantee
            + ": "
            + found.restored()
            + ", emitted "
            + found.emitted().size());

    assertThat(found.contents()).isNotEmpty().isEqualTo(expected.contents());
    assertThat(without(EMITTED, found.restored()))
        .hasSize(7)
        .isEqualTo(without(EMITTED, expected.restored()));
    if (guarantee.equals(StreamsConfig.AT_LEAST_ONCE)) {
      assertThat(without(EMITTED, found.restored()).values())
          .allSatisfy(records -> assertThat(records).isBetween(1L, RECORDS / 5L));
    }
    // No window had been emitted, and all of them are when the next record closes them.
    assertThat(found.emitted()).hasSize(RECORDS + RECORDS * KEYS / 10);
  }

  private static Map<String, Long> without(List<String> stores, Map<String, Long> records) {
    Map<String, Long> others = new TreeMap<>(records);
    others.keySet().removeAll(stores);
    return others;
  }

  /** Runs an application, runs it once more without its state, and then sends one more record. */
  private Outcome lostState(
      Class<? extends DslStoreSuppliers> suppliers, String guarantee, String format)
      throws Exception {
    String name = suppliers.getSimpleName() + "-" + guarantee + "-" + format;
    broker.createTopics(1, name);
    try (KafkaProducer<String, Long> producer =
        broker.producer(new StringSerializer(), new LongSerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        long time = START + (long) i * SECOND.toMillis();
        sent.add(producer.send(new ProducerRecord<>(name, 0, time, "key-" + i % KEYS, (long) i)));
      }
      producer.flush();
      Broker.requireSent(sent);
      Run first = new Run(name, suppliers, guarantee, format, "first", RECORDS - 1);
      try (KafkaStreams streams = first.start()) {
        await(first.seen);
      }
      assertThat(first.emitted).isEmpty();
      Run second = new Run(name, suppliers, guarantee, format, "second", RECORDS);
      try (KafkaStreams streams = second.start()) {
        await(second.running);
        Map<String, Long> contents = contents(streams);
        long time = START + 2L * RECORDS * SECOND.toMillis();
        producer.send(new ProducerRecord<>(name, 0, time, "last", (long) RECORDS)).get();
        await(second.seen);
        return new Outcome(second.restored, contents, second.emitted);
      }
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private static Map<String, Long> contents(KafkaStreams streams) {
    Map<String, Long> contents = new TreeMap<>();
    for (String store : List.of("tumbling", "hopping", "sliding", "plain")) {
      var windows =
          streams.store(
              StoreQueryParameters.fromNameAndType(
                  store, QueryableStoreTypes.<String, Long>windowStore()));
      try (KeyValueIterator<Windowed<String>, Long> all = windows.all()) {
        all.forEachRemaining(entry -> contents.put(store + " " + entry.key, entry.value));
      }
    }
    var sessions =
        streams.store(
            StoreQueryParameters.fromNameAndType(
                "sessions", QueryableStoreTypes.<String, Long>sessionStore()));
    for (int key = 0; key < KEYS; key++) {
      try (KeyValueIterator<Windowed<String>, Long> all = sessions.fetch("key-" + key)) {
        all.forEachRemaining(entry -> contents.put("sessions " + entry.key, entry.value));
      }
    }
    return contents;
  }

  /** One run of the application. */
  private final class Run {
    private final CountDownLatch seen = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);
    private final Map<String, Long> restored = new ConcurrentHashMap<>();
    private final Map<String, Long> emitted = new ConcurrentHashMap<>();
    private final Properties settings;
    private final String topic;
    private final long last;
    private final WindowBytesStoreSupplier plain;

    Run(
        String topic,
        Class<? extends DslStoreSuppliers> suppliers,
        String guarantee,
        String format,
        String state,
        long last) {
      this.settings =
          Application.settings(
              "application-" + topic,
              broker.servers(),
              guarantee,
              directory.resolve(state + topic).toString());
      this.topic = topic;
      this.last = last;
      this.plain =
          suppliers.equals(SifrDslStoreSuppliers.class)
              ? SifrStores.windowStore("plain", RETENTION, SIZE, false)
              : Stores.persistentWindowStore("plain", RETENTION, SIZE, false);
      settings.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers);
      settings.put(StreamsConfig.DSL_STORE_FORMAT_CONFIG, format);
      // The first run emits nothing in its time, the second at once.
      settings.put(
          StreamsConfig.InternalConfig.EMIT_INTERVAL_MS_KSTREAMS_WINDOWED_AGGREGATION,
          state.equals("first") ? Duration.ofDays(1).toMillis() : 0L);
    }

    KafkaStreams start() {
      KafkaStreams streams = new KafkaStreams(topology().build(settings), settings);
      streams.setGlobalStateRestoreListener(new Restored(restored::put));
      streams.setStateListener(
          (state, before) -> {
            if (state == KafkaStreams.State.RUNNING) {
              running.countDown();
            }
          });
      streams.start();
      return streams;
    }

    private StreamsBuilder topology() {
      StreamsBuilder builder = new StreamsBuilder();
      KStream<String, Long> records =
          builder.stream(topic, Consumed.with(Serdes.String(), Serdes.Long()));
      KGroupedStream<String, Long> byKey =
          records.groupByKey(Grouped.with(Serdes.String(), Serdes.Long()));
      TimeWindows tumbling = TimeWindows.ofSizeAndGrace(SIZE, GRACE);
      SessionWindows sessions = SessionWindows.ofInactivityGapAndGrace(SECOND, GRACE);
      byKey.windowedBy(tumbling).count(Materialized.as("tumbling"));
      byKey.windowedBy(tumbling.advanceBy(Duration.ofSeconds(5))).count(Materialized.as("hopping"));
      byKey
          .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(SIZE, GRACE))
          .count(Materialized.as("sliding"));
      byKey.windowedBy(tumbling).count(Materialized.as(plain));
      byKey.windowedBy(sessions).count(Materialized.as("sessions"));
      byKey
          .windowedBy(tumbling)
          .emitStrategy(EmitStrategy.onWindowClose())
          .count(Materialized.as("emitted-windows"))
          .toStream()
          .foreach((key, count) -> emitted.put("window " + key, count));
      byKey
          .windowedBy(sessions)
          .emitStrategy(EmitStrategy.onWindowClose())
          .count(Materialized.as("emitted-sessions"))
          .toStream()
          .foreach((key, count) -> emitted.put("session " + key, count));
      records.join(
          records,
          Long::sum,
          JoinWindows.ofTimeDifferenceAndGrace(SECOND, GRACE),
          StreamJoined.with(Serdes.String(), Serdes.Long(), Serdes.Long()).withStoreName("joined"));
      records.foreach(
          (key, number) -> {
            if (number == last) {
              seen.countDown();
            }
          });
      return builder;
    }
  }
}
