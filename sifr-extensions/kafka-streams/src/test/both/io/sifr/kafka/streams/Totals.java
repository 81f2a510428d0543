package io.sifr.kafka.streams;

import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * An application that a test starts and kills: the sum of all numbers of each key, or the largest.
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

    Properties settings =
        Application.settings("application-" + guarantee, args[0], guarantee, args[2]);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    Application.run(builder, settings);
  }
}
