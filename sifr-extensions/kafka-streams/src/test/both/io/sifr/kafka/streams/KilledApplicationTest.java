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
@Tag("process")
class KilledApplicationTest {
  private static final int RECORDS = Integer.getInteger("sifr.kafka.records", 40_000);
  private static final int ROUNDS = Integer.getInteger("sifr.kafka.kills", 3);
  private static final int RECORDS_OF_ROUND = RECORDS / (ROUNDS + 1);

  /** After which kill the local state is lost: the second, or the only one. */
  private static final int LOSING_ROUND = Math.min(1, ROUNDS - 1);

  private static final int KEYS = 1_000;
  private static final int PARTITIONS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  private static Broker broker;

  private final Map<Integer, Long> expected = new HashMap<>();
  private final Map<Integer, Long> results = new HashMap<>();

  @TempDir Path directory;

  @BeforeAll
  static void startBroker(@TempDir Path directory) throws Exception {
    broker = new Broker(directory);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {StreamsConfig.EXACTLY_ONCE_V2, StreamsConfig.AT_LEAST_ONCE})
  void nothingIsLost(String guarantee) throws Exception {
    boolean isExactlyOnce = guarantee.equals(StreamsConfig.EXACTLY_ONCE_V2);
    Path state = directory.resolve("state");
    broker.createTopics(PARTITIONS, "numbers-" + guarantee, "totals-" + guarantee);
    int known = 0;
    Random random = new Random(7);
    try (KafkaProducer<Integer, Long> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.servers()),
                new IntegerSerializer(),
                new LongSerializer());
        KafkaConsumer<Integer, Long> consumer = consumer("totals-" + guarantee)) {
      for (int round = 0; round < ROUNDS; round++) {
        Process application = start(guarantee, state, round);
        try {
          long from = System.nanoTime();
          send(producer, guarantee, random, isExactlyOnce);
          // It has begun with these, and is not through, or not closed at least.
          awaitNewResults(consumer, application);
          say(guarantee, "killed after " + millisSince(from) + " ms, round " + round);
        } finally {
          application.destroyForcibly().waitFor();
        }
        if (round == LOSING_ROUND) {
          deleteStores(state);
          known = results.size();
          say(guarantee, "its local state is deleted");
        }
      }
      send(producer, guarantee, random, isExactlyOnce);
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
    assertThat(results).isEqualTo(expected);
    assertThat(restored(0)).isZero();
    // After the local state was lost, all keys come from the changelog.
    assertThat(restored(LOSING_ROUND + 1)).isPositive().isGreaterThanOrEqualTo(known / 2);
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

  /** Sends the numbers of a round. */
  private void send(
      KafkaProducer<Integer, Long> producer, String guarantee, Random random, boolean isSum)
      throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (int i = 0; i < RECORDS_OF_ROUND; i++) {
      int key = random.nextInt(KEYS);
      long number = random.nextInt(1_000_000);
      sent.add(producer.send(new ProducerRecord<>("numbers-" + guarantee, key, number)));
      expected.merge(key, number, isSum ? Long::sum : Math::max);
    }
    producer.flush();
    // What the broker did not take is not what the application has lost.
    for (Future<RecordMetadata> record : sent) {
      record.get();
    }
  }

  private Process start(String guarantee, Path state, int round) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Totals.class.getName(),
            broker.servers(),
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
                broker.servers(),
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
    while (seen < Math.min(500, RECORDS_OF_ROUND / 2)) {
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
