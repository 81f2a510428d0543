package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;

/** An application on Sifr stores in a process of its own, which a test starts, and may kill. */
final class Application implements AutoCloseable {
  private static final String RESTORED = "restored records: ";

  private final Process process;
  private final Path output;

  /**
   * Starts it.
   *
   * @param main the class with its main method, which is to call {@link #run}
   * @param output the file that what it prints goes to
   */
  Application(Class<?> main, Path output, String... arguments) throws IOException {
    this.output = output;
    List<String> java =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName());
    process =
        new ProcessBuilder(Stream.concat(java.stream(), Stream.of(arguments)).toList())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
  }

  /** What the settings of all applications have in common. */
  static Properties settings(String id, String broker, String guarantee, String state) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, state);
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    settings.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, SifrDslStoreSuppliers.class);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 2_000);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 500);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    settings.put("sifr.memoryBudgetBytes", "64MiB");
    return settings;
  }

  /** Runs a topology in this process until it is told to end, and prints what is restored. */
  static void run(StreamsBuilder builder, Properties settings) {
    KafkaStreams streams = new KafkaStreams(builder.build(settings), settings);
    streams.setGlobalStateRestoreListener(
        new Restored((store, records) -> System.out.println(RESTORED + records + " of " + store)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
    streams.start();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it has ended by itself. */
  void awaitEnd(Duration longest) throws InterruptedException {
    assertThat(process.waitFor(longest.toSeconds(), TimeUnit.SECONDS))
        .as("it ends, see %s", output)
        .isTrue();
  }

  /** Has it close its stores and end. */
  void stop() throws InterruptedException {
    process.destroy();
    awaitEnd(Duration.ofMinutes(1));
  }

  /** How many records it has restored from changelogs. */
  long restored() throws IOException {
    return Pattern.compile(RESTORED + "(\\d+)")
        .matcher(Files.readString(output))
        .results()
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .sum();
  }

  /** Kills it, if it has not ended. */
  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
