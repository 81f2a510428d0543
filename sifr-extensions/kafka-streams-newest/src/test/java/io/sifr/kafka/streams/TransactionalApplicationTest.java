package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real broker, and an application with a store of every kind, whose stores are transactional: it
 * fails, or is killed while it works, goes on with the state that it has, without restoring
 * anything, and no sum is ever wrong. {@code -Dsifr.kafka.kills=20} kills it more often.
 */
@Tag("process")
class TransactionalApplicationTest {
  private static final int KILLS = Integer.getInteger("sifr.kafka.kills", 3);
  private static final int RECORDS_OF_ROUND = 1_500;
  private static final int KEYS = 20;
  private static final int PARTITIONS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  /** The stores whose every change is seen, whatever is cached. */
  private static final List<String> UNCACHED = List.of("plain", "stamped", "headers", "versioned");

  private final Map<String, List<Long>> expected = new TreeMap<>();
  private final Map<String, List<Long>> results = new TreeMap<>();
  private final Map<String, Session> sessions = new HashMap<>();
  private final List<Application> applications = new ArrayList<>();

  /** Within the day for which windows stay in the changelog. */
  private long now = System.currentTimeMillis() - Duration.ofHours(20).toMillis();

  private Broker broker;
  private KafkaProducer<String, Long> producer;
  private KafkaConsumer<String, Long> consumer;

  @TempDir Path directory;

  private record Session(long start, long end, long sum) {}

  @BeforeEach
  void start() throws Exception {
    broker = new Broker(directory.resolve("broker"));
    broker.createTopics(PARTITIONS, Ledger.INPUT, Ledger.OUTPUT);
    producer = broker.producer(new StringSerializer(), new LongSerializer());
    consumer = broker.consumer(Ledger.OUTPUT, new StringDeserializer(), new LongDeserializer());
  }

  @AfterEach
  void stop() throws Exception {
    for (Application application : applications) {
      application.close();
    }
    consumer.close();
    producer.close();
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10_000_000})
  void sumsAreRightAfterAnError(int cacheBytes) throws Exception {
    AtomicBoolean hasFailed = new AtomicBoolean();
    AtomicLong restored = new AtomicLong();
    var settings =
        Ledger.settings(broker.servers(), directory.resolve("state").toString(), cacheBytes);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
    var topology =
        Ledger.topology(
                number -> {
                  if (number == Ledger.POISON && hasFailed.compareAndSet(false, true)) {
                    throw new IllegalStateException("the failure of this test");
                  }
                })
            .build(settings);
    try (KafkaStreams streams = new KafkaStreams(topology, settings)) {
      streams.setUncaughtExceptionHandler(e -> StreamThreadExceptionResponse.REPLACE_THREAD);
      streams.setGlobalStateRestoreListener(
          new Restored((store, records) -> restored.addAndGet(records)));
      streams.start();
      sendEach(List.of());
      await(cacheBytes, () -> true);
      sendEach(List.of("bad"));
      await(cacheBytes, () -> true);
      assertThat(hasFailed).isTrue();
      assertThat(restored).hasValue(0);
    }
  }

  /** Sends each of ten keys, and others with a number at which the application fails. */
  private void sendEach(List<String> bad) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      sent.add(send("k" + i, 1));
    }
    for (String key : bad) {
      sent.add(send(key, Ledger.POISON));
    }
    producer.flush();
    Broker.requireSent(sent);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 10_000_000})
  void aKilledApplicationRestoresNothing(int cacheBytes) throws Exception {
    long seed = Long.getLong("sifr.seed", new Random().nextLong());
    System.out.println("TransactionalApplicationTest: -Dsifr.seed=" + seed);
    Random random = new Random(seed);
    Path state = directory.resolve("state");
    for (int round = 0; round < KILLS; round++) {
      sendRound(random);
      int last = 1 + random.nextInt(RECORDS_OF_ROUND);
      Application application = start(state, cacheBytes, last);
      application.awaitEnd(LONGEST);
      say(cacheBytes, application, "killed at record " + last);
    }
    sendRound(random);
    goOn(state, cacheBytes, "all results are right");
    for (Application application : applications) {
      assertThat(application.restored()).isZero();
    }
    delete(state);
    sendRound(random);
    goOn(state, cacheBytes, "all results are right after its local state was lost");
    assertThat(applications.get(KILLS + 1).restored()).isPositive();
  }

  /** Starts the application, and stops it when it is through. */
  private void goOn(Path state, int cacheBytes, String what) throws Exception {
    Application application = start(state, cacheBytes, 0);
    await(cacheBytes, application::isAlive);
    application.stop();
    say(cacheBytes, application, what);
  }

  private void say(int cacheBytes, Application application, String what) throws Exception {
    System.out.println(
        "TransactionalApplicationTest, cache of "
            + cacheBytes
            + ": start "
            + applications.indexOf(application)
            + " restored "
            + application.restored()
            + " records; "
            + what);
  }

  private void sendRound(Random random) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (int i = 0; i < RECORDS_OF_ROUND; i++) {
      now += random.nextInt(3_000);
      sent.add(send("key-" + random.nextInt(KEYS), 1 + random.nextInt(1_000)));
    }
    producer.flush();
    Broker.requireSent(sent);
  }

  private Future<RecordMetadata> send(String key, long number) {
    for (String store : Ledger.BY_KEY) {
      expect(store + " " + key, number);
    }
    long start = now - now % Ledger.WINDOW.toMillis();
    String window = key + " " + start + "-" + (start + Ledger.WINDOW.toMillis());
    expect("windows " + window, number);
    expected.merge("closed " + window, List.of(number), (a, b) -> List.of(a.get(0) + b.get(0)));
    Session before = sessions.get(key);
    Session session =
        before == null || before.end() + Ledger.WINDOW.toMillis() < now
            ? new Session(now, now, number)
            : new Session(before.start(), now, before.sum() + number);
    sessions.put(key, session);
    expected
        .computeIfAbsent(
            "sessions " + key + " " + session.start() + "-" + session.end(),
            each -> new ArrayList<>())
        .add(session.sum());
    return producer.send(new ProducerRecord<>(Ledger.INPUT, null, now, key, number));
  }

  private void expect(String key, long number) {
    List<Long> sums = expected.computeIfAbsent(key, each -> new ArrayList<>());
    sums.add(number + (sums.isEmpty() ? 0 : sums.get(sums.size() - 1)));
  }

  /**
   * Waits until all sums are there, as long as more come. It requires that time goes on in each
   * partition.
   */
  private void await(int cacheBytes, BooleanSupplier isAlive) throws Exception {
    long until = System.nanoTime() + LONGEST.toNanos();
    long tick = now;
    while (!isComplete()) {
      tick += 100_000;
      Set<String> changed = new HashSet<>();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        producer.send(new ProducerRecord<>(Ledger.INPUT, partition, tick, "tick", 1L)).get();
      }
      for (ConsumerRecord<String, Long> record : consumer.poll(Duration.ofMillis(500))) {
        if (!record.key().contains("tick")) {
          results.computeIfAbsent(record.key(), key -> new ArrayList<>()).add(record.value());
          changed.add(record.key());
        }
      }
      assertThat(isAlive.getAsBoolean()).as("the application goes on").isTrue();
      if (!changed.isEmpty()) {
        changed.forEach(key -> requireRight(key, cacheBytes));
        until = System.nanoTime() + LONGEST.toNanos();
      }
      assertThat(System.nanoTime()).as(this::missing).isLessThan(until);
    }
    now = tick + 100_000;
  }

  private boolean isComplete() {
    return expected.keySet().stream().allMatch(this::isComplete);
  }

  private boolean isComplete(String key) {
    List<Long> sums = expected.getOrDefault(key, List.of());
    List<Long> found = results.getOrDefault(key, List.of());
    // What a cache replaces, and sessions that went on in between, may never be seen.
    return key.startsWith("sessions ")
        ? !isLastOfSession(key) || !found.isEmpty()
        : !found.isEmpty() && found.get(found.size() - 1).equals(sums.get(sums.size() - 1));
  }

  private boolean isLastOfSession(String key) {
    String[] parts = key.split(" ", -1);
    Session last = Objects.requireNonNull(sessions.get(parts[1]));
    return parts[2].equals(last.start() + "-" + last.end());
  }

  private String missing() {
    return "missing: " + expected.keySet().stream().filter(key -> !isComplete(key)).toList();
  }

  /** No sum was seen that is not that of the first numbers, in their order, and none twice. */
  private void requireRight(String key, int cacheBytes) {
    List<Long> found = results.getOrDefault(key, List.of());
    List<Long> sums = expected.getOrDefault(key, List.of());
    boolean isEach = cacheBytes == 0 || UNCACHED.contains(key.split(" ", -1)[0]);
    int from = 0;
    for (Long sum : found) {
      int at = sums.subList(from, sums.size()).indexOf(sum);
      assertThat(at).as(() -> key + ": " + found + ", not " + sums).isNotNegative();
      assertThat(!isEach || at == 0).as(() -> key + " lacks one: " + found).isTrue();
      from += at + 1;
    }
  }

  private Application start(Path state, int cacheBytes, long last) throws Exception {
    Application application =
        new Application(
            Ledger.class,
            directory.resolve("output-" + applications.size()),
            broker.servers(),
            state.toString(),
            Integer.toString(cacheBytes),
            Long.toString(last));
    applications.add(application);
    return application;
  }

  private static void delete(Path directory) throws Exception {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
