package io.sifr.kafka.streams;

import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.StateRestoreListener;

/**
 * An application that a test starts and kills: the sum of all numbers of each key, or the largest.
 * It prints how many records it restored from changelogs.
 */
final class Totals {
  private Totals() {}

  /** The arguments: where the broker is, the guarantee, the directory of the state. */
  public static void main(String[] args) {
    String guarantee = args[1];
    boolean isExactlyOnce = guarantee.equals(StreamsConfig.EXACTLY_ONCE_V2);
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream("numbers-" + guarantee, Consumed.with(Serdes.Integer(), Serdes.Long()))
        .groupByKey()
        // Twice the same number is no harm to the largest.
        .reduce(isExactlyOnce ? Long::sum : Math::max, Materialized.as("totals"))
        .toStream()
        .to("totals-" + guarantee, Produced.with(Serdes.Integer(), Serdes.Long()));

    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "application-" + guarantee);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, args[2]);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    settings.put(StreamsConfig.DSL_STORE_SUPPLIERS_CLASS_CONFIG, SifrDslStoreSuppliers.class);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 2_000);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 500);
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    settings.put("sifr.memoryBudgetBytes", "64MiB");
    KafkaStreams streams = new KafkaStreams(builder.build(settings), settings);
    streams.setGlobalStateRestoreListener(new Restored());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
    streams.start();
  }

  private static final class Restored implements StateRestoreListener {
    @Override
    public void onRestoreStart(
        TopicPartition partition, String store, long startingOffset, long endingOffset) {}

    @Override
    public void onBatchRestored(
        TopicPartition partition, String store, long batchEndOffset, long restored) {}

    @Override
    public void onRestoreEnd(TopicPartition partition, String store, long totalRestored) {
      System.out.println("restored " + totalRestored + " records of " + partition);
    }
  }
}
