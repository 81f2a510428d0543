#!/bin/bash
# Kafka Streams: with EmitStrategy.onWindowClose() and the retention that a store has by itself, results are lost: some with
# RocksDB, with stores in memory often all.
#
# Guess: where a window's counts are kept does not matter for what is emitted: the same records from both kinds of stores.
# So it is: each update emits the same from both. When 5 tumbling windows without grace have closed, RocksDB's store has given
# 4 results and the one in memory none; of 7 sessions, with 10 seconds of grace, 6 and none. With withRetention of an hour
# both give all 5 and all 7: by default a store keeps what it has for as long as window and grace last, so that it can be gone
# when the window closes, with no error. With 10 seconds of grace the tumbling windows in memory give 4, too. All without a
# cache.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars org.apache.kafka:kafka-streams-test-utils:4.4.0 org.slf4j:slf4j-nop:1.7.36
cat >Closing.java <<'END'
import static java.time.Duration.ofSeconds;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.StateStore;

/** Counts what a window count emits, with both of Kafka's own kinds of stores. */
public class Closing {
  private static final long[] SECONDS = {1, 2, 31, 35, 45, 61, 75, 105, 131, 200};

  private static <S extends StateStore> Materialized<String, Long, S> kept(
      Materialized.StoreType type, Duration retention) {
    Materialized<String, Long, S> store = Materialized.as(type);
    return retention.isZero() ? store : store.withRetention(retention);
  }

  private static long emitted(boolean sessions, boolean onClose, Duration grace, Duration retention,
      Materialized.StoreType type) throws Exception {
    StreamsBuilder builder = new StreamsBuilder();
    KGroupedStream<String, String> grouped =
        builder.stream("in", Consumed.with(Serdes.String(), Serdes.String())).groupByKey();
    EmitStrategy when = onClose ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
    KTable<Windowed<String>, Long> counts =
        sessions
            ? grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(ofSeconds(8), grace))
                .emitStrategy(when).count(kept(type, retention))
            : grouped.windowedBy(TimeWindows.ofSizeAndGrace(ofSeconds(30), grace))
                .emitStrategy(when).count(kept(type, retention));
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
    Duration grace = ofSeconds(Long.parseLong(args[2]));
    Duration retention = ofSeconds(Long.parseLong(args[3])); // 0: what it is by itself
    System.out.println(
        emitted(sessions, onClose, grace, retention, Materialized.StoreType.ROCKS_DB) + " with RocksDB, "
            + emitted(sessions, onClose, grace, retention, Materialized.StoreType.IN_MEMORY) + " in memory");
  }
}
END
# counted WHAT SEEN WINDOWS EMIT GRACE RETENTION
counted() {
  same "$1" "$2" "$(run_java Closing.java "${@:3}")"
}
counted "tumbling windows, each update" "10 with RocksDB, 10 in memory" tumbling update 0 0
counted "tumbling windows, on close" "4 with RocksDB, 0 in memory" tumbling close 0 0
counted "tumbling windows, on close, 10 s of grace" "4 with RocksDB, 4 in memory" tumbling close 10 0
counted "tumbling windows, on close, kept for an hour" "5 with RocksDB, 5 in memory" tumbling close 0 3600
counted "session windows, each update" "12 with RocksDB, 12 in memory" sessions update 10 0
counted "session windows, on close" "6 with RocksDB, 0 in memory" sessions close 10 0
counted "session windows, on close, kept for an hour" "7 with RocksDB, 7 in memory" sessions close 10 3600
