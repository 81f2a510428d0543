package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.BuiltInDslStoreSuppliers;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Topologies with Sifr's stores beside the same with those that Kafka Streams has, on RocksDB: what
 * they send, to topics of their own and to changelogs, is the same, byte for byte and in the same
 * order, with and without caches.
 */
@Tag("host")
class TopologiesTest {
  private static final int RECORDS = Integer.getInteger("sifr.kafka.records", 400);

  @TempDir Path directory;

  /** Makes versioned stores of the kind that a topology is run with. */
  private interface Versioned {
    VersionedBytesStoreSupplier named(String name);
  }

  private static final Map<String, BiConsumer<StreamsBuilder, Versioned>> TOPOLOGIES =
      Map.ofEntries(
          entry("count", (b, v) -> send(grouped(b).count())),
          entry("reduce", (b, v) -> send(grouped(b).reduce((x, y) -> y + x.charAt(0)))),
          entry("aggregate with deletions", 
        (b, v) ->
            send(
                grouped(b)
                    .aggregate(
                        () -> "",
                        (key, value, sum) -> sum.length() > 8 ? null : sum + value.charAt(0),
                        Materialized.with(Serdes.String(), Serdes.String())))),
          entry("table", (b, v) -> send(b.table("a", Materialized.as("table")))),
          entry("table filtered", 
        (b, v) -> send(table(b, "a").filter((k, x) -> x.hashCode() % 2 == 0, named("filtered")))),
          entry("table mapped", (b, v) -> send(table(b, "a").mapValues(x -> x + "!", named("mapped")))),
          entry("table grouped", 
        (b, v) ->
            send(
                table(b, "a")
                    .groupBy((k, x) -> KeyValue.pair(x.substring(0, 1), x))
                    .count())),
          entry("table reduced", 
        (b, v) ->
            send(
                table(b, "a")
                    .groupBy((k, x) -> KeyValue.pair(x.substring(0, 1), x))
                    .reduce((x, y) -> x + y, (x, y) -> x.replaceFirst(y, "")))),
          entry("stream to table", (b, v) -> send(b.<String, String>stream("a").toTable(Named.as("as-table")))),
          entry("table join", (b, v) -> send(table(b, "a").join(table(b, "b"), (x, y) -> x + y))),
          entry("table left join", (b, v) -> send(table(b, "a").leftJoin(table(b, "b"), (x, y) -> x + y))),
          entry("table outer join", (b, v) -> send(table(b, "a").outerJoin(table(b, "b"), (x, y) -> x + y))),
          entry("foreign key join", 
        (b, v) ->
            send(table(b, "a").join(table(b, "b"), x -> "key-" + x.charAt(6), (x, y) -> x + y))),
          entry("foreign key left join", 
        (b, v) ->
            send(
                table(b, "a")
                    .leftJoin(table(b, "b"), x -> "key-" + x.charAt(6), (x, y) -> x + y))),
          entry("stream table join", (b, v) -> send(stream(b, "a").join(table(b, "b"), (x, y) -> x + y))),
          entry("stream table left join", (b, v) -> send(stream(b, "a").leftJoin(table(b, "b"), (x, y) -> x + y))),
          entry("global table join", 
        (b, v) ->
            send(
                stream(b, "a")
                    .join(
                        b.<String, String>globalTable("b", Materialized.as("global")),
                        (key, x) -> key,
                        (x, y) -> x + y))),
          entry("stream join", (b, v) -> send(stream(b, "a").join(stream(b, "b"), (x, y) -> x + y, window()))),
          entry("stream left join", 
        (b, v) -> send(stream(b, "a").leftJoin(stream(b, "b"), (x, y) -> x + y, window()))),
          entry("stream outer join", 
        (b, v) -> send(stream(b, "a").outerJoin(stream(b, "b"), (x, y) -> x + y, window()))),
          entry("self join", 
        (b, v) -> {
          KStream<String, String> stream = stream(b, "a");
          send(stream.join(stream, (x, y) -> x + y, window()));
        }),
          entry("cogroup", 
        (b, v) ->
            send(
                grouped(b)
                    .<String>cogroup((key, x, sum) -> tail(sum + x.charAt(0)))
                    .cogroup(
                        stream(b, "b").groupByKey(), (key, x, sum) -> tail(sum + x.charAt(1)))
                    .aggregate(() -> "", Materialized.with(Serdes.String(), Serdes.String())))),
          entry("tumbling", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .windowedBy(TimeWindows.ofSizeAndGrace(seconds(10), seconds(5)))
                    .count())),
          entry("hopping", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .windowedBy(TimeWindows.ofSizeWithNoGrace(seconds(20)).advanceBy(seconds(5)))
                    .reduce((x, y) -> tail(x + y)))),
          entry("sliding", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .windowedBy(
                        SlidingWindows.ofTimeDifferenceAndGrace(seconds(10), seconds(10)))
                    .count())),
          entry("session", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .windowedBy(SessionWindows.ofInactivityGapAndGrace(seconds(4), seconds(5)))
                    .count())),
          entry("windowed cogroup", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .<String>cogroup((key, x, sum) -> tail(sum + x.charAt(0)))
                    .windowedBy(TimeWindows.ofSizeWithNoGrace(seconds(10)))
                    .aggregate(() -> "", Materialized.with(Serdes.String(), Serdes.String())))),
          entry("suppressed by time", 
        (b, v) ->
            send(
                grouped(b)
                    .count()
                    .suppress(
                        Suppressed.untilTimeLimit(
                            seconds(5), Suppressed.BufferConfig.unbounded())))),
          entry("suppressed until closed", 
        (b, v) ->
            sendWindows(
                grouped(b)
                    .windowedBy(TimeWindows.ofSizeAndGrace(seconds(10), seconds(5)))
                    .count()
                    .suppress(
                        Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())))),
          entry("versioned table", 
        (b, v) ->
            send(
                b.<String, String>table("a", Materialized.as(v.named("versioned")))
                    .filter((key, value) -> value.hashCode() % 3 != 0))),
          entry("versioned table join", 
        (b, v) ->
            send(
                stream(b, "b")
                    .leftJoin(
                        b.<String, String>table("a", Materialized.as(v.named("versioned"))),
                        (x, y) -> x + y))));

  private static Map.Entry<String, BiConsumer<StreamsBuilder, Versioned>> entry(
      String name, BiConsumer<StreamsBuilder, Versioned> topology) {
    return Map.entry(name, topology);
  }

  static Stream<String> names() {
    return TOPOLOGIES.keySet().stream().sorted();
  }

  private static KStream<String, String> stream(StreamsBuilder builder, String topic) {
    return builder.<String, String>stream(topic).filter((key, value) -> value != null);
  }

  private static KGroupedStream<String, String> grouped(StreamsBuilder builder) {
    return stream(builder, "a").groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
  }

  private static KTable<String, String> table(StreamsBuilder builder, String topic) {
    return builder.table(topic, Materialized.as("table-" + topic));
  }

  private static Materialized<String, String, KeyValueStore<Bytes, byte[]>> named(String name) {
    return Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(name)
        .withKeySerde(Serdes.String())
        .withValueSerde(Serdes.String());
  }

  private static JoinWindows window() {
    return JoinWindows.ofTimeDifferenceAndGrace(seconds(5), seconds(5));
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static String tail(String text) {
    return text.substring(Math.max(0, text.length() - 12));
  }

  private static void send(KTable<String, ?> table) {
    send(table.toStream());
  }

  private static void send(KStream<String, ?> stream) {
    stream.mapValues(value -> value == null ? null : value.toString()).to("out");
  }

  private static void sendWindows(KTable<Windowed<String>, ?> table) {
    send(
        table.toStream((key, value) -> key.key() + key.window().start() + "-" + key.window().end()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void sendsTheSame(String name) throws Exception {
    long seed = Long.getLong("sifr.seed", new Random().nextLong());
    System.out.println("TopologiesTest: -Dsifr.seed=" + seed);
    for (boolean isCached : new boolean[] {false, true}) {
      List<String> ofKafka =
          run(
              name,
              seed,
              isCached,
              BuiltInDslStoreSuppliers.RocksDBDslStoreSuppliers.class,
              store -> Stores.persistentVersionedKeyValueStore(store, seconds(60)));
      List<String> ofSifr =
          run(
              name,
              seed,
              isCached,
              SifrDslStoreSuppliers.class,
              store -> SifrStores.versionedKeyValueStore(store, seconds(60)));
      assertThat(ofKafka).hasSizeGreaterThan(20);
      assertThat(ofSifr).as(isCached ? "cached" : "not cached").isEqualTo(ofKafka);
    }
  }

  private List<String> run(
      String name, long seed, boolean isCached, Class<?> suppliers, Versioned versioned)
      throws Exception {
    StreamsBuilder builder = new StreamsBuilder();
    Objects.requireNonNull(TOPOLOGIES.get(name)).accept(builder, versioned);
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "application");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nobody");
    settings.put(
        StreamsConfig.STATE_DIR_CONFIG, Files.createTempDirectory(directory, "state").toString());
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, isCached ? 10_000_000 : 0);
    settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, suppliers);
    List<String> sent = new ArrayList<>();
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(settings), settings)) {
      String sources = builder.build(settings).describe().toString();
      List<TestInputTopic<String, String>> topics =
          Stream.of("a", "b")
              .filter(topic -> sources.contains("topics: [" + topic + "]"))
              .map(
                  topic ->
                      driver.createInputTopic(
                          topic, new StringSerializer(), new StringSerializer()))
              .toList();
      Random random = new Random(seed);
      long now = 100_000;
      for (int i = 0; i < RECORDS; i++) {
        now += random.nextInt(random.nextInt(20) == 0 ? 30_000 : 2_000);
        String value =
            random.nextInt(8) == 0
                ? null
                : (char) ('a' + random.nextInt(4)) + "value" + random.nextInt(6);
        topics
            .get(random.nextInt(topics.size()))
            .pipeInput("key-" + random.nextInt(6), value, now - random.nextInt(8_000));
        if (random.nextInt(10) == 0) {
          driver.advanceWallClockTime(seconds(1));
        }
      }
      for (String topic : new TreeSet<>(driver.producedTopicNames())) {
        for (TestRecord<byte[], byte[]> record :
            driver
                .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList()) {
          sent.add(
              topic
                  + " "
                  + Arrays.toString(record.key())
                  + " "
                  + Arrays.toString(record.value())
                  + " "
                  + record.timestamp()
                  + " "
                  + record.headers());
        }
      }
    }
    return sent;
  }
}
