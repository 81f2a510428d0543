package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/** A broker, which is its own controller, in a process of its own. */
final class Broker implements AutoCloseable {
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private final String servers;
  private final Path output;
  private final Process process;

  /**
   * Starts it.
   *
   * @param directory where it has its files; they are not there yet
   */
  Broker(Path directory) throws Exception {
    Files.createDirectories(directory);
    output = directory.resolve("output");
    int port;
    int controllerPort;
    try (ServerSocket first = free();
        ServerSocket second = free()) {
      port = first.getLocalPort();
      controllerPort = second.getLocalPort();
    }
    servers = "127.0.0.1:" + port;
    Path configuration = directory.resolve("broker.properties");
    try (Writer writer = Files.newBufferedWriter(configuration)) {
      settings(directory.resolve("log"), controllerPort).store(writer, null);
    }
    int formatted =
        StorageTool.execute(
            new String[] {
              "format", "-t", Uuid.randomUuid().toString(), "-c", configuration.toString()
            },
            new PrintStream(OutputStream.nullOutputStream(), true));
    assertThat(formatted).as("the broker's files are made").isZero();
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx400m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "kafka.Kafka",
                configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    await();
  }

  private Properties settings(Path log, int controllerPort) {
    Properties settings = new Properties();
    settings.put("node.id", "1");
    settings.put("process.roles", "broker,controller");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put("listeners", "PLAINTEXT://" + servers + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("advertised.listeners", "PLAINTEXT://" + servers);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("log.dirs", log.toString());
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    // The times of a test's records are not those at which it runs.
    settings.put("log.retention.ms", "-1");
    settings.put("log.message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE));
    settings.put("group.min.session.timeout.ms", "1000");
    settings.put("group.initial.rebalance.delay.ms", "0");
    return settings;
  }

  private static ServerSocket free() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /** Returns when it answers. */
  private void await() throws Exception {
    long until = System.nanoTime() + LONGEST.toNanos();
    try (Admin admin = admin()) {
      while (true) {
        try {
          if (!admin.describeCluster().nodes().get().isEmpty()) {
            return;
          }
        } catch (ExecutionException e) {
          assertThat(process.isAlive()).as("the broker runs, see %s", output).isTrue();
          assertThat(System.nanoTime()).as("time").isLessThan(until);
        }
      }
    }
  }

  private Admin admin() {
    return Admin.create(
        Map.of(
            "bootstrap.servers",
            servers,
            "default.api.timeout.ms",
            10_000,
            "request.timeout.ms",
            5_000));
  }

  /** Where clients find it. */
  String servers() {
    return servers;
  }

  void createTopics(int partitions, String... names) throws Exception {
    try (Admin admin = admin()) {
      admin
          .createTopics(
              Stream.of(names).map(name -> new NewTopic(name, partitions, (short) 1)).toList())
          .all()
          .get();
    }
  }

  <K, V> KafkaProducer<K, V> producer(Serializer<K> keys, Serializer<V> values) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers",
            servers,
            "delivery.timeout.ms", // a busy machine may leave the broker without its disk for long
            600_000,
            "max.block.ms",
            600_000),
        keys,
        values);
  }

  /** Waits until it has taken all records that a producer sent. */
  static void requireSent(Iterable<Future<RecordMetadata>> records) throws Exception {
    for (Future<RecordMetadata> record : records) {
      record.get();
    }
  }

  /** A consumer of what is committed to a topic, from its beginning. */
  <K, V> KafkaConsumer<K, V> consumer(
      String topic, Deserializer<K> keys, Deserializer<V> values) {
    KafkaConsumer<K, V> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers, "isolation.level", "read_committed"),
            keys,
            values);
    consumer.assign(
        consumer.partitionsFor(topic).stream()
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .toList());
    consumer.seekToBeginning(consumer.assignment());
    return consumer;
  }

  @Override
  public void close() throws Exception {
    process.destroyForcibly().waitFor();
  }
}
