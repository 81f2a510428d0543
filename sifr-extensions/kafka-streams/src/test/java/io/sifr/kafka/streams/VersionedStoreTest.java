package io.sifr.kafka.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.query.MultiVersionedKeyQuery;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.VersionedKeyQuery;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.apache.kafka.test.InternalMockProcessorContext;
import org.apache.kafka.test.StreamsTestUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The versioned store and the one that Kafka Streams has, on RocksDB, answer alike: puts and
 * deletions in any order of time, and reads as of any time, of a few keys one of which is the
 * beginning of another. Times before the history that is kept are left out: there, Kafka's store
 * may still have what it could have dropped.
 */
class VersionedStoreTest {
  private static final long HISTORY = 300;
  private static final List<String> KEYS = List.of("a", "a\0", "ab", "b");
  private static final TopicPartition CHANGELOG = new TopicPartition("changelog", 0);

  @TempDir Path directory;

  @Test
  void answersAsKafkasDoes() {
    long seed = Long.getLong("sifr.seed", new Random().nextLong());
    System.out.println("VersionedStoreTest: -Dsifr.seed=" + seed);
    Random random = new Random(seed);
    VersionedKeyValueStore<String, String> ours = open("ours", supplier());
    VersionedKeyValueStore<String, String> kafkas =
        open(
            "kafkas",
            Stores.persistentVersionedKeyValueStore("versions", Duration.ofMillis(HISTORY)));
    long now = 0;
    for (int step = 0; step < 20_000; step++) {
      now += random.nextInt(3) == 0 ? random.nextInt(20) : 0;
      String key = KEYS.get(random.nextInt(KEYS.size()));
      long time = Math.max(0, now - random.nextInt(random.nextInt(10) == 0 ? 400 : 60));
      String at = "step " + step + ", key " + key + ", time " + time + ", now " + now;
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          String value = "value " + step;
          assertThat(ours.put(key, value, time)).as(at).isEqualTo(kafkas.put(key, value, time));
        }
        case 3 -> {
          // Of a deletion at the very time of the last version, Kafka's store forgets the time.
          VersionedRecord<String> last = kafkas.get(key);
          if (last == null || last.timestamp() != time) {
            assertThat(text(ours.delete(key, time)))
                .as(at)
                .isEqualTo(text(kafkas.delete(key, time)));
          }
        }
        case 4 -> assertThat(text(ours.get(key))).as(at).isEqualTo(text(kafkas.get(key)));
        case 5 ->
            assertThat(text(ours.get(key, time))).as(at).isEqualTo(text(kafkas.get(key, time)));
        case 6 ->
            assertThat(versions(ours, key, Math.max(time, now - HISTORY / 2)))
                .as(at)
                .isEqualTo(versions(kafkas, key, Math.max(time, now - HISTORY / 2)));
        default -> {
          if (random.nextInt(20) == 0) {
            ours.commit(Map.of(CHANGELOG, (long) step));
          }
          if (random.nextInt(200) == 0) {
            ours.close();
            ours = open("ours", supplier());
          }
        }
      }
    }
    ours.close();
    kafkas.close();
  }

  @Test
  void whatWasDeletedDoesNotComeBackWhenTheStoreIsOpenedAgain() {
    VersionedKeyValueStore<String, String> store = open("ours", supplier());
    store.put("a", "old", 10);
    store.delete("a", 20);
    store.put("b", "new", 20 + 10 * HISTORY);
    store.commit(Map.of(CHANGELOG, 3L));
    store.close();

    store = open("ours", supplier());
    assertThat(store.committedOffset(CHANGELOG)).isEqualTo(3);
    assertThat(store.get("a")).isNull();
    assertThat(store.get("a", 15)).isNull();
    store.close();
  }

  private static String text(@Nullable VersionedRecord<String> record) {
    return String.valueOf(record);
  }

  @Test
  void theStreamTimeIsKnownAfterARestart() {
    VersionedKeyValueStore<String, String> store = open("ours", supplier());
    store.put("a", "new", 10 * HISTORY);
    store.close();

    store = open("ours", supplier());
    assertThat(store.put("b", "too old", 9 * HISTORY - 1))
        .isEqualTo(VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT);
    store.close();
  }

  private static VersionedBytesStoreSupplier supplier() {
    return SifrStores.versionedKeyValueStore("versions", Duration.ofMillis(HISTORY));
  }

  /** As texts: Kafka compares the ends of two versions by identity. */
  private static List<String> versions(
      VersionedKeyValueStore<String, String> store, String key, long from) {
    List<String> found = new ArrayList<>();
    try (VersionedRecordIterator<String> iterator =
        store
            .query(
                MultiVersionedKeyQuery.<String, String>withKey(key)
                    .fromTime(Instant.ofEpochMilli(from))
                    .withAscendingTimestamps(),
                PositionBound.unbounded(),
                new QueryConfig(false))
            .getResult()) {
      iterator.forEachRemaining(version -> found.add(version.toString()));
    }
    VersionedRecord<String> last =
        store
            .query(
                VersionedKeyQuery.<String, String>withKey(key),
                PositionBound.unbounded(),
                new QueryConfig(false))
            .getResult();
    if (last != null) {
      found.add(last.toString());
    }
    return found;
  }

  private VersionedKeyValueStore<String, String> open(
      String task, VersionedBytesStoreSupplier supplier) {
    File state = directory.resolve(task).toFile();
    VersionedKeyValueStore<String, String> store =
        Stores.versionedKeyValueStoreBuilder(supplier, Serdes.String(), Serdes.String())
            .withLoggingDisabled()
            .build();
    store.init(
        new InternalMockProcessorContext<>(
            state,
            Serdes.String(),
            Serdes.String(),
            new StreamsConfig(StreamsTestUtils.getStreamsConfig())),
        store);
    return store;
  }
}
