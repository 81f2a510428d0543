package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
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
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
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
    List<Application> applications = new ArrayList<>();
    try (KafkaProducer<Integer, Long> producer =
            broker.producer(new IntegerSerializer(), new LongSerializer());
        KafkaConsumer<Integer, Long> consumer =
            broker.consumer(
                "totals-" + guarantee, new IntegerDeserializer(), new LongDeserializer())) {
      for (int round = 0; round < ROUNDS; round++) {
        try (Application application = start(guarantee, state, round)) {
          applications.add(application);
          long from = System.nanoTime();
          send(producer, guarantee, random, isExactlyOnce);
          // It has begun with these, and is not through, or not closed at least.
          awaitNewResults(consumer, application);
          say(guarantee, "killed after " + millisSince(from) + " ms, round " + round);
        }
        if (round == LOSING_ROUND) {
          deleteStores(state);
          known = results.size();
          say(guarantee, "its local state is deleted");
        }
      }
      send(producer, guarantee, random, isExactlyOnce);
      try (Application application = start(guarantee, state, ROUNDS)) {
        applications.add(application);
        long from = System.nanoTime();
        awaitAll(consumer, application);
        say(guarantee, "all results after " + millisSince(from) + " ms");
        application.stop();
      }
    }
    assertThat(results).isEqualTo(expected);
    assertThat(applications.get(0).restored()).isZero();
    // After the local state was lost, all keys come from the changelog.
    assertThat(applications.get(LOSING_ROUND + 1).restored())
        .isPositive()
        .isGreaterThanOrEqualTo(known / 2);
    for (int round = 0; round <= ROUNDS; round++) {
      long restored = applications.get(round).restored();
      say(guarantee, "start " + round + " restored " + restored + " records");
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
    Broker.requireSent(sent);
  }

  private Application start(String guarantee, Path state, int round) throws IOException {
    Path output = directory.resolve("output-" + round);
    return new Application(Totals.class, output, broker.servers(), guarantee, state.toString());
  }

  private void awaitNewResults(KafkaConsumer<Integer, Long> consumer, Application application) {
    long until = System.nanoTime() + LONGEST.toNanos();
    int seen = 0;
    while (seen < Math.min(500, RECORDS_OF_ROUND / 2)) {
      seen += poll(consumer);
      requireGoing(application, until);
    }
  }

  private void awaitAll(KafkaConsumer<Integer, Long> consumer, Application application) {
    long until = System.nanoTime() + LONGEST.toNanos();
    while (!results.equals(expected)) {
      poll(consumer);
      requireGoing(application, until);
    }
  }

  private static void requireGoing(Application application, long until) {
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
