package io.sifr.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.state.Extensions;
import io.sifr.spi.CompactionFilter;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any writes, flushes, compactions, restarts, kills and power failures of a store whose filter
 * drops and replaces values. A key has what was written last, or what the filter has made of that;
 * nothing older, and never again what it had before the filter.
 */
@Tag("model")
class FilteredModelTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int KEYS = 60;
  private static final int STEPS = SearchLength.of(400, 3000);

  /** Drops values that begin with "drop", and has those that begin with "old" begin with "new". */
  private static final CompactionFilter FILTER =
      new CompactionFilter() {
        @Override
        public String name() {
          return "drops and replaces";
        }

        @Override
        public Decision decide(Entry entry) {
          String value = text(entry.value());
          if (value.startsWith("drop")) {
            return Decision.DROP;
          }
          String filtered = filtered(value);
          return filtered.equals(value) || entry.key()[3] == '7'
              ? Decision.KEEP
              : Decision.replaceBy(filtered.getBytes(UTF_8));
        }
      };

  private static final DatabaseOptions FILTERING =
      DatabaseOptions.builder().compactionFilter(FILTER).separateValuesFrom(400).build();

  private final Random random = new Random();

  /** What each key had last; those that the filter has dealt with are so from then on. */
  private Map<String, String> model = new TreeMap<>();

  private int writes;

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static String filtered(String value) {
    return value.startsWith("old") ? "new" + value.substring(3) : value;
  }

  static LongStream seeds() {
    return LongStream.concat(LongStream.rangeClosed(1, 3), LongStream.of(System.nanoTime()));
  }

  private StoreOptions options() {
    return StoreOptions.builder()
        .writeBufferBytes(6144 + random.nextInt(6144))
        .totalWriteBufferBytes(32 << 10)
        .splitUnitBytes(4096)
        .logSegmentBytes(16 << 10)
        .maxLogBytes(64 << 10)
        .keptLogBytes(random.nextInt(2) << 14)
        .compaction(
            random.nextBoolean()
                ? CompactionPolicy.splitForest(2, random.nextBoolean())
                : CompactionPolicy.leveled())
        .build();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noValueIsLostOrComesBack(long seed) {
    random.setSeed(seed);
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    int steps = 0;
    while (steps < STEPS) {
      StoreOptions options = options();
      disk.encrypt(random.nextInt(3));
      Extensions extensions =
          Extensions.of(options)
              .with(new Extensions.Operators(Set.of(), false).with(List.of(FILTER)));
      CrashDisk left;
      try (Store store =
          TestStores.open(DIRECTORY, options, disk.fileSystem(), StoreListener.NONE, extensions)) {
        store.alterDatabase(Store.DEFAULT_DATABASE, FILTERING);
        compare(store.database());
        for (int few = random.nextInt(100); few > 0; few--, steps++) {
          step(store);
        }
        store.sync();
        left = random.nextBoolean() ? disk.kill() : disk.crash(random);
      }
      assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
      disk = random.nextInt(3) == 0 ? disk.kill() : left;
    }
  }

  private void step(Store store) {
    Database database = store.database();
    switch (random.nextInt(12)) {
      case 0 -> store.flush();
      case 1 -> compare(database);
      case 2 -> database.compact(KeyRange.atLeast(key().getBytes(UTF_8)));
      case 3 -> {
        if (random.nextInt(4) == 0) {
          store.flush();
          database.compact();
          model.replaceAll((key, value) -> key.charAt(3) == '7' ? value : filtered(value));
          model.values().removeIf(value -> value.startsWith("drop"));
          compareExactly(database);
        }
      }
      case 4 -> {
        String key = key();
        database.delete(key.getBytes(UTF_8));
        model.remove(key);
      }
      case 5 -> compareAtSnapshot(store);
      default -> put(database);
    }
  }

  private void put(Database database) {
    for (int i = random.nextInt(20); i >= 0; i--) {
      String key = key();
      String kind = List.of("drop", "old", "keep").get(random.nextInt(3));
      String value = kind + " " + writes++ + " " + ".".repeat(random.nextInt(600));
      WriteOptions options =
          random.nextBoolean()
              ? WriteOptions.BUFFERED
              : WriteOptions.expiringAfter(Duration.ofDays(100));
      database.put(key.getBytes(UTF_8), value.getBytes(UTF_8), options);
      model.put(key, value);
    }
  }

  private String key() {
    return "key" + random.nextInt(KEYS);
  }

  private static Map<String, String> content(Cursor opened) {
    Map<String, String> content = new TreeMap<>();
    try (Cursor cursor = opened) {
      while (cursor.next()) {
        content.put(text(cursor.key()), text(cursor.value()));
      }
    }
    return content;
  }

  /** Each key has what the model has, or what the filter makes of that: from now on. */
  private void compare(Database database) {
    Map<String, String> found = content(database.cursor());
    Map<String, String> next = new TreeMap<>();
    assertThat(model).containsKeys(found.keySet().toArray(String[]::new));
    model.forEach(
        (key, value) -> {
          @Nullable String now = found.get(key);
          if (now == null) {
            assertThat(value).as("what is gone of %s", key).startsWith("drop");
          } else {
            assertThat(now).as(key).isIn(value, filtered(value));
            next.put(key, now);
          }
        });
    model = next;
  }

  private void compareExactly(Database database) {
    assertThat(content(database.cursor())).isEqualTo(model);
  }

  /** What a snapshot sees that was taken while no compaction ran stays, whatever is compacted. */
  private void compareAtSnapshot(Store store) {
    store.awaitIdle();
    try (Snapshot snapshot = store.snapshot()) {
      Map<String, String> before =
          content(store.database().cursor(KeyRange.all(), ReadOptions.at(snapshot)));
      List<String> keys = new ArrayList<>(before.keySet());
      put(store.database());
      store.flush();
      store.database().compact();
      assertThat(content(store.database().cursor(KeyRange.all(), ReadOptions.at(snapshot))))
          .isEqualTo(before);
      if (!keys.isEmpty()) {
        String key = keys.get(random.nextInt(keys.size()));
        byte[] value = store.database().get(key.getBytes(UTF_8), ReadOptions.at(snapshot));
        assertThat(value).isEqualTo(before.getOrDefault(key, "").getBytes(UTF_8));
      }
    }
    compare(store.database());
  }
}
