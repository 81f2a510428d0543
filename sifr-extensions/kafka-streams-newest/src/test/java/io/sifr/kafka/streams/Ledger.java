package io.sifr.kafka.streams;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.jspecify.annotations.Nullable;

/**
 * An application with a store of every kind, each of which sums up the same numbers by key, or by
 * key and window. All sums go to one topic, with the store's name before the key. It can be told to
 * throw an exception once, and to kill its own process while it works.
 */
final class Ledger {
  static final String INPUT = "numbers";
  static final String OUTPUT = "sums";

  /** The value at which it throws an exception, once in a process. */
  static final long POISON = -1;

  static final List<String> BY_KEY =
      List.of("plain", "stamped", "headers", "versioned", "reduced", "table");

  static final Duration WINDOW = Duration.ofSeconds(10);

  private Ledger() {}

  /**
   * The arguments: where the broker is, the directory of the state, the bytes of the cache, and how
   * many records to work on until the process is killed, 0 for all.
   */
  public static void main(String[] args) {
    long last = Long.parseLong(args[3]);
    AtomicLong seen = new AtomicLong();
    Properties settings = settings(args[0], args[1], Integer.parseInt(args[2]));
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    Application.run(
        topology(
            number -> {
              if (last != 0 && seen.incrementAndGet() == last) {
                kill();
              }
            }),
        settings);
  }

  /** Kills this process while it works on a record, as hard as the operating system can. */
  private static void kill() {
    try {
      new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid()))
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      Runtime.getRuntime().halt(137);
    }
  }

  static Properties settings(String broker, String state, int cacheBytes) {
    Properties settings =
        Application.settings("ledger", broker, StreamsConfig.EXACTLY_ONCE_V2, state);
    settings.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, true);
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, cacheBytes);
    return settings;
  }

  /** What happens to each number before it is summed up is the caller's. */
  static StreamsBuilder topology(LongConsumer before) {
    StreamsBuilder builder = new StreamsBuilder();
    add(
        builder,
        Stores.keyValueStoreBuilder(
            SifrStores.keyValueStore("plain"), Serdes.String(), Serdes.Long()));
    add(
        builder,
        Stores.timestampedKeyValueStoreBuilder(
            SifrStores.timestampedKeyValueStore("stamped"), Serdes.String(), Serdes.Long()));
    add(
        builder,
        Stores.timestampedKeyValueStoreWithHeadersBuilder(
            SifrStores.timestampedKeyValueStoreWithHeaders("headers"),
            Serdes.String(),
            Serdes.Long()));
    builder.addStateStore(
        Stores.versionedKeyValueStoreBuilder(
            SifrStores.versionedKeyValueStore("versioned", Duration.ofDays(1)),
            Serdes.String(),
            Serdes.Long()));
    KStream<String, Long> numbers =
        builder.stream(INPUT, Consumed.with(Serdes.String(), Serdes.Long()))
            .peek((key, number) -> before.accept(number));
    KStream<String, Long> sums =
        numbers.process(() -> new Sums(), "plain", "stamped", "headers", "versioned");
    KStream<String, Long> reduced =
        numbers
            .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
            .reduce(Long::sum, Materialized.as("reduced"))
            .toStream()
            .map((key, sum) -> KeyValue.pair("reduced " + key, sum));
    KStream<String, Long> table =
        numbers
            .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
            .aggregate(
                () -> 0L,
                (key, number, sum) -> sum + number,
                Materialized.<String, Long>as(SifrStores.keyValueStore("table"))
                    .withKeySerde(Serdes.String())
                    .withValueSerde(Serdes.Long()))
            .toStream()
            .map((key, sum) -> KeyValue.pair("table " + key, sum));
    KStream<String, Long> windows =
        numbers
            .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
            .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW))
            .reduce(Long::sum, Materialized.as("windows"))
            .toStream()
            .map((key, sum) -> KeyValue.pair("windows " + text(key), sum));
    KStream<String, Long> closed =
        numbers
            .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
            .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW))
            .emitStrategy(EmitStrategy.onWindowClose())
            .reduce(Long::sum, Materialized.as("closed"))
            .toStream()
            .map((key, sum) -> KeyValue.pair("closed " + text(key), sum));
    KStream<String, Long> sessions =
        numbers
            .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
            .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(WINDOW))
            .reduce(Long::sum, Materialized.as("sessions"))
            .toStream()
            .filter((key, sum) -> sum != null)
            .map((key, sum) -> KeyValue.pair("sessions " + text(key), sum));
    for (KStream<String, Long> each : List.of(sums, reduced, table, windows, closed, sessions)) {
      each.to(OUTPUT, Produced.with(Serdes.String(), Serdes.Long()));
    }
    return builder;
  }

  private static void add(StreamsBuilder builder, StoreBuilder<?> store) {
    builder.addStateStore(store.withCachingEnabled());
  }

  private static String text(Windowed<String> key) {
    return key.key() + " " + key.window().start() + "-" + key.window().end();
  }

  /** Sums in stores that no operator of the DSL makes. */
  private static final class Sums implements Processor<String, Long, String, Long> {
    private @Nullable ProcessorContext<String, Long> given;

    @Override
    public void init(ProcessorContext<String, Long> context) {
      given = context;
    }

    @Override
    public void process(Record<String, Long> record) {
      ProcessorContext<String, Long> context = Objects.requireNonNull(given);
      String key = record.key();
      long time = record.timestamp();
      long number = record.value();
      forward(
          record,
          "plain",
          addTo(context.<KeyValueStore<String, Long>>getStateStore("plain"), key, number));

      TimestampedKeyValueStore<String, Long> stamped = context.getStateStore("stamped");
      ValueAndTimestamp<Long> before = stamped.get(key);
      long sum = number + (before == null ? 0 : before.value());
      stamped.put(key, ValueAndTimestamp.make(sum, time));
      forward(record, "stamped", sum);

      TimestampedKeyValueStoreWithHeaders<String, Long> headers = context.getStateStore("headers");
      ValueTimestampHeaders<Long> with = headers.get(key);
      sum = number + (with == null ? 0 : with.value());
      headers.put(key, ValueTimestampHeaders.make(sum, time, new RecordHeaders()));
      forward(record, "headers", sum);

      VersionedKeyValueStore<String, Long> versioned = context.getStateStore("versioned");
      VersionedRecord<Long> last = versioned.get(key);
      sum = number + (last == null ? 0 : last.value());
      versioned.put(key, sum, Math.max(time, last == null ? 0 : last.timestamp() + 1));
      forward(record, "versioned", sum);
    }

    private static long addTo(KeyValueStore<String, Long> store, String key, long number) {
      Long before = store.get(key);
      long sum = number + (before == null ? 0 : before);
      store.put(key, sum);
      return sum;
    }

    private void forward(Record<String, Long> record, String store, long sum) {
      Objects.requireNonNull(given)
          .forward(record.withKey(store + " " + record.key()).withValue(sum));
    }
  }
}
