package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real broker, and an application in a JVM of its own that is killed while it works, and started
 * again; in the end its results are those of all that was sent. Once it loses its local state.
 */
@Tag("search")
class KilledApplicationTest {
  private static final int RECORDS = Integer.getInteger("sifr.kafka.records", 40_000);
  private static final int ROUNDS = Integer.getInteger("sifr.kafka.kills", 3);
  private static final int KEYS = 1_000;
  private static final int PARTITIONS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  private static KafkaClusterTestKit cluster;

  private final Map<Integer, Long> expected = new HashMap<>();
  private final Map<Integer, Long> results = new HashMap<>();
  private final List<Future<RecordMetadata>> sent = new ArrayList<>();

  @TempDir Path directory;

  @BeforeAll
  static void startBroker() throws Exception {
    cluster =
        new KafkaClusterTestKit.Builder(
                new TestKitNodes.Builder()
                    .setCombined(true)
                    .setNumControllerNodes(1)
                    .setNumBrokerNodes(1)
                    .build())
            .setConfigProp("offsets.topic.replication.factor", "1")
            .setConfigProp("offsets.topic.num.partitions", "1")
            .setConfigProp("transaction.state.log.replication.factor", "1")
            .setConfigProp("transaction.state.log.min.isr", "1")
            .setConfigProp("transaction.state.log.num.partitions", "1")
            .setConfigProp("group.min.session.timeout.ms", "1000")
            .setConfigProp("group.initial.rebalance.delay.ms", "0")
            .build();
    cluster.format();
    cluster.startup();
    cluster.waitForReadyBrokers();
  }

  @AfterAll
  static void stopBroker() throws Exception {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {StreamsConfig.EXACTLY_ONCE_V2, StreamsConfig.AT_LEAST_ONCE})
  void nothingIsLost(String guarantee) throws Exception {
    boolean isExactlyOnce = guarantee.equals(StreamsConfig.EXACTLY_ONCE_V2);
    Path state = directory.resolve("state");
    try (Admin admin = cluster.admin()) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("numbers-" + guarantee, PARTITIONS, (short) 1),
                  new NewTopic("totals-" + guarantee, PARTITIONS, (short) 1)))
          .all()
          .get();
    }
    Random random = new Random(7);
    try (KafkaProducer<Integer, Long> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers()),
                new IntegerSerializer(),
                new LongSerializer());
        KafkaConsumer<Integer, Long> consumer = consumer("totals-" + guarantee)) {
      for (int round = 0; round < ROUNDS; round++) {
        Process application = start(guarantee, state, round);
        try {
          long from = System.nanoTime();
          for (int i = 0; i < RECORDS / (ROUNDS + 1); i++) {
            send(producer, guarantee, random, isExactlyOnce);
          }
          producer.flush();
          // It has begun with these, and is not through, or not closed at least.
          awaitNewResults(consumer, application);
          say(guarantee, "killed after " + millisSince(from) + " ms, round " + round);
        } finally {
          application.destroyForcibly().waitFor();
        }
        if (round == 1) {
          deleteStores(state);
          say(guarantee, "its local state is deleted");
        }
      }
      for (int i = 0; i < RECORDS / (ROUNDS + 1); i++) {
        send(producer, guarantee, random, isExactlyOnce);
      }
      producer.flush();
      Process application = start(guarantee, state, ROUNDS);
      try {
        long from = System.nanoTime();
        awaitAll(consumer, application);
        say(guarantee, "all results after " + millisSince(from) + " ms");
      } finally {
        application.destroy();
        assertThat(application.waitFor(1, TimeUnit.MINUTES)).isTrue();
      }
    }
    for (Future<RecordMetadata> record : sent) {
      record.get();
    }
    assertThat(results).isEqualTo(expected);
    assertThat(restored(0)).isZero();
    // After the local state was lost, all keys come from the changelog.
    assertThat(restored(2)).isGreaterThanOrEqualTo(KEYS / 2);
    for (int round = 0; round <= ROUNDS; round++) {
      say(guarantee, "start " + round + " restored " + restored(round) + " records");
    }
  }

  private static void say(String guarantee, String what) {
    System.out.println("KilledApplicationTest, " + guarantee + ": " + what);
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  private void send(
      KafkaProducer<Integer, Long> producer, String guarantee, Random random, boolean isSum) {
    int key = random.nextInt(KEYS);
    long number = random.nextInt(1_000_000);
    sent.add(producer.send(new ProducerRecord<>("numbers-" + guarantee, key, number)));
    expected.merge(key, number, isSum ? Long::sum : Math::max);
  }

  private Process start(String guarantee, Path state, int round) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Totals.class.getName(),
            cluster.bootstrapServers(),
            guarantee,
            state.toString())
        .redirectErrorStream(true)
        .redirectOutput(output(round))
        .start();
  }

  private File output(int round) {
    return directory.resolve("output-" + round).toFile();
  }

  private long restored(int round) throws IOException {
    Matcher matcher =
        Pattern.compile("restored (\\d+) records")
            .matcher(Files.readString(output(round).toPath()));
    long sum = 0;
    while (matcher.find()) {
      sum += Long.parseLong(matcher.group(1));
    }
    return sum;
  }

  private static KafkaConsumer<Integer, Long> consumer(String topic) {
    KafkaConsumer<Integer, Long> consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                cluster.bootstrapServers(),
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed"),
            new IntegerDeserializer(),
            new LongDeserializer());
    List<TopicPartition> partitions =
        List.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  private void awaitNewResults(KafkaConsumer<Integer, Long> consumer, Process application) {
    long until = System.nanoTime() + LONGEST.toNanos();
    int seen = 0;
    while (seen < 500) {
      seen += poll(consumer);
      requireGoing(application, until);
    }
  }

  private void awaitAll(KafkaConsumer<Integer, Long> consumer, Process application) {
    long until = System.nanoTime() + LONGEST.toNanos();
    while (!results.equals(expected)) {
      poll(consumer);
      requireGoing(application, until);
    }
  }

  private static void requireGoing(Process application, long until) {
    assertThat(application.isAlive()).as("the application goes on").isTrue();
    assertThat(System.nanoTime()).as("time").isLessThan(until);
  }

  private int poll(KafkaConsumer<Integer, Long> consumer) {
    int seen = 0;
    for (ConsumerRecord<Integer, Long> record : consumer.poll(Duration.ofMillis(100))) {
      results.put(record.key(), record.value());
      seen++;
    }
    return seen;
  }

  /** Deletes the stores, and leaves what else Kafka Streams has there. */
  private static void deleteStores(Path state) throws IOException {
    try (Stream<Path> all = Files.walk(state)) {
      for (Path store : all.filter(path -> path.endsWith("totals")).toList()) {
        assertThat(Store.exists(store)).isTrue();
        Store.destroy(store);
      }
    }
  }
}
