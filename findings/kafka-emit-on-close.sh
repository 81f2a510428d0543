#!/bin/bash
# Kafka Streams: with EmitStrategy.onWindowClose() the in-memory window store emits no result at all.
#
# Guess: where a window's counts are kept does not matter for what is emitted: the same records from both kinds of stores.
# So it is: each update emits the same from both. Emitted when a window closes, RocksDB's gives one record a window, and the
# in-memory store nothing, for tumbling and for session windows, without a cache. So Kafka's own two kinds of stores differ
# with the same program and the same records.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.apache.kafka:kafka-streams-test-utils:4.4.0 org.slf4j:slf4j-nop:1.7.36
cat >Closing.java <<'END'
import static java.time.Duration.ofSeconds;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;

/** Counts what a window count emits, with both of Kafka's own kinds of stores. */
public class Closing {
  private static final long[] SECONDS = {1, 2, 31, 35, 45, 61, 75, 105, 131, 200};

  private static long emitted(boolean sessions, boolean onClose, Materialized.StoreType type) throws Exception {
    StreamsBuilder builder = new StreamsBuilder();
    KGroupedStream<String, String> grouped =
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
    EmitStrategy when = onClose ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
    KTable<Windowed<String>, Long> counts =
        sessions
            ? grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(ofSeconds(8), ofSeconds(10)))
                .emitStrategy(when).count(Materialized.as(type))
            : grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(ofSeconds(30)))
                .emitStrategy(when).count(Materialized.as(type));
    counts
        .toStream((window, count) -> window.key())
        .to("out", Produced.with(Serdes.String(), Serdes.Long()));
    Properties properties = new Properties();
    properties.put("application.id", "finding");
    properties.put("bootstrap.servers", "none:1");
    properties.put("state.dir", Files.createTempDirectory(Path.of("."), "state").toString());
    properties.put("statestore.cache.max.bytes", "0");
    properties.put("default.key.serde", Serdes.StringSerde.class.getName());
    properties.put("default.value.serde", Serdes.StringSerde.class.getName());
    try (TopologyTestDriver driver = new TopologyTestDriver(builder.build(), properties, Instant.EPOCH)) {
      var in = driver.createInputTopic("in", new StringSerializer(), new StringSerializer());
      for (long second : SECONDS) in.pipeInput("k", "v", Instant.ofEpochSecond(second));
      return driver.createOutputTopic("out", new StringDeserializer(), new LongDeserializer()).getQueueSize();
    }
  }

  public static void main(String[] args) throws Exception {
    boolean sessions = args[0].equals("sessions");
    boolean onClose = args[1].equals("close");
    System.out.println(
        emitted(sessions, onClose, Materialized.StoreType.ROCKS_DB) + " with RocksDB, "
            + emitted(sessions, onClose, Materialized.StoreType.IN_MEMORY) + " in memory");
  }
}
END
same "tumbling windows, each update" "10 with RocksDB, 10 in memory" "$(run_java Closing.java tumbling update)"
same "tumbling windows, on close" "4 with RocksDB, 0 in memory" "$(run_java Closing.java tumbling close)"
same "session windows, each update" "12 with RocksDB, 12 in memory" "$(run_java Closing.java sessions update)"
same "session windows, on close" "6 with RocksDB, 0 in memory" "$(run_java Closing.java sessions close)"
