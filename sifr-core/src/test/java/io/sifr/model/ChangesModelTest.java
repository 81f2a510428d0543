package io.sifr.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Changes;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.Follower;
import io.sifr.testing.SearchLength;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever happens to a store: a copy of it, and the changes after the moment of the copy, give the
 * present content.
 */
@Tag("model")
@Timeout(300)
class ChangesModelTest {
  private static final int STEPS = 600;
  private static final int MOST_DATABASES = 4;
  private static final List<Durability> DURABILITIES = List.of(Durability.values());
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2024-02-03T04:05:06Z"));

  @TempDir Path parent;
  private Path directory = Path.of("");
  private Random random = new Random(0);
  private final Map<Long, Map<String, List<Path>>> ingests = new HashMap<>();
  private final List<Path> copies = new ArrayList<>();
  private int files;

  static LongStream seeds() {
    return LongStream.concat(
        LongStream.rangeClosed(1, SearchLength.of(6, 13)),
        LongStream.of(System.nanoTime() & 0xFFFFFF));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aCopyAndTheChangesAfterItAreThePresent(long seed) {
    random = new Random(seed);
    directory = parent.resolve("store");
    Store store = open();
    try {
      for (int step = 0; step < STEPS; step++) {
        store = step(store);
      }
      assertThat(store.oldestChange()).isEqualTo(1);
      for (Path copy : copies) {
        assertCatchesUp(store, copy);
      }
      assertCatchesUp(store, parent.resolve("from-nothing"));
    } finally {
      store.close();
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  private Store open() {
    return Store.builder(directory)
        .options(
            StoreOptions.builder()
                .retainedLogBytes(1 << 30)
                .keptLogBytes(random.nextBoolean() ? 0 : 1 << 20)
                .writeBufferBytes(8 << 10)
                .splitUnitBytes(4 << 10)
                .logSegmentBytes((4 << 10) << random.nextInt(3))
                .compaction(CompactionPolicy.splitForest(2))
                .build())
        .clock(CLOCK)
        .open();
  }

  private void assertCatchesUp(Store store, Path copy) {
    try (Store target = Store.builder(copy).clock(CLOCK).open();
        Changes changes = store.changes(target.lastSequence() + 1)) {
      Follower follower =
          new Follower(
              target, CLOCK, sequence -> ingest(target, ingests.getOrDefault(sequence, Map.of())));
      assertThat(follower.follow(changes)).isEqualTo(store.lastSequence());
      assertThat(content(target)).isEqualTo(content(store));
    }
  }

  private static void ingest(Store target, Map<String, List<Path>> paths) {
    Map<Database, List<Path>> byDatabase = new HashMap<>();
    paths.forEach((name, list) -> byDatabase.put(target.database(name), list));
    target.ingest(byDatabase, IngestOptions.DEFAULT);
  }

  private static Map<String, Map<String, String>> content(Store store) {
    Map<String, Map<String, String>> content = new TreeMap<>();
    for (String name : store.databaseNames()) {
      Database database = store.database(name);
      Map<String, String> entries = new TreeMap<>();
      entries.put("options", database.options().toString());
      try (Cursor cursor = database.cursor()) {
        while (cursor.next()) {
          entries.put(Arrays.toString(cursor.key()), Arrays.toString(cursor.value()));
        }
      }
      content.put(name, entries);
    }
    return content;
  }

  /** Does something, and returns the store, which may have been opened again. */
  private Store step(Store store) {
    int kind = random.nextInt(100);
    if (kind < 3) {
      changeDatabases(store);
    } else if (kind < 5) {
      ingest(store);
    } else if (kind < 7) {
      store.flush();
    } else if (kind < 8) {
      any(store).compact();
    } else if (kind < 10) {
      copy(store);
    } else if (kind < 12) {
      store.close();
      return open();
    } else if (kind < 13) {
      return killed(store);
    } else if (kind < 30) {
      batch(store);
    } else {
      single(store);
    }
    return store;
  }

  private void copy(Store store) {
    if (copies.size() < 6) {
      Path copy = parent.resolve("copy-" + copies.size());
      store.checkpoint(copy);
      copies.add(copy);
    }
  }

  /** Goes on with what a killed process leaves. */
  private Store killed(Store store) {
    store.awaitIdle();
    Path left = parent.resolve("left-" + files++);
    try (Stream<Path> all = Files.list(directory)) {
      Files.createDirectories(left);
      for (Path file : all.filter(each -> !each.endsWith("LOCK")).toList()) {
        try {
          Files.copy(file, left.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          // Nothing needs it any more, or not yet.
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    store.close();
    directory = left;
    return open();
  }

  private Database any(Store store) {
    List<String> names = store.databaseNames();
    return store.database(names.get(random.nextInt(names.size())));
  }

  private void changeDatabases(Store store) {
    List<String> names = store.databaseNames();
    String name = "db-" + random.nextInt(MOST_DATABASES);
    if (!names.contains(name)) {
      var unused = store.createDatabase(name, options());
    } else if (random.nextBoolean()) {
      store.dropDatabase(name);
    } else {
      DatabaseOptions before = store.database(name).options();
      store.alterDatabase(
          name,
          before.toBuilder()
              .expireAfter(
                  before.mergeOperator() != null || random.nextBoolean()
                      ? null
                      : Duration.ofDays(1 + random.nextInt(9)))
              .build());
    }
  }

  private DatabaseOptions options() {
    return DatabaseOptions.builder()
        .mergeOperator(random.nextBoolean() ? MergeOperators.APPEND.name() : null)
        .separateValuesFrom(random.nextBoolean() ? 0 : 1 + random.nextInt(20))
        .build();
  }

  private void ingest(Store store) {
    Map<String, List<Path>> paths = new HashMap<>();
    for (int i = random.nextInt(2); i >= 0; i--) {
      Path file = parent.resolve("file-" + files++);
      SortedSet<String> keys = new TreeSet<>();
      for (int j = 0; j < 20; j++) {
        keys.add(new String(key(), UTF_8));
      }
      try (SstFileWriter writer = SstFileWriter.create(file, store.options())) {
        keys.forEach(key -> writer.put(key.getBytes(UTF_8), value()));
        paths.put(any(store).name(), writer.finish().files());
      }
    }
    ingest(store, paths);
    ingests.put(store.lastSequence(), paths);
  }

  private byte[] key() {
    return String.format("key%03d", random.nextInt(200)).getBytes(UTF_8);
  }

  private byte[] value() {
    byte[] value = new byte[random.nextInt(200)];
    random.nextBytes(value);
    return value;
  }

  private KeyRange range() {
    byte[] from = key();
    return random.nextInt(10) == 0
        ? KeyRange.greaterThan("key190".getBytes(UTF_8))
        : KeyRange.between(from, Arrays.copyOf(from, from.length - 1 + random.nextInt(2)));
  }

  private Durability durability() {
    return DURABILITIES.get(random.nextInt(DURABILITIES.size()));
  }

  private void single(Store store) {
    Database database = any(store);
    int kind = random.nextInt(20);
    if (kind < 2) {
      database.delete(key(), WriteOptions.of(durability()));
    } else if (kind < 3) {
      database.deleteRange(range(), WriteOptions.of(durability()));
    } else if (kind < 5 && database.options().mergeOperator() != null) {
      database.merge(key(), value());
    } else if (kind < 7) {
      database.put(key(), value(), WriteOptions.expiringAfter(Duration.ofHours(1)));
    } else {
      database.put(key(), value(), WriteOptions.of(durability()));
    }
  }

  private void batch(Store store) {
    WriteBatch batch = new WriteBatch();
    for (int i = random.nextInt(8); i >= 0; i--) {
      Database database = any(store);
      switch (random.nextInt(8)) {
        case 0 -> batch.delete(database, key());
        case 1 -> batch.deleteRange(database, range());
        case 2 -> batch.put(database, key(), value(), Duration.ofHours(2));
        default -> batch.put(database, key(), value());
      }
    }
    store.write(batch, WriteOptions.of(durability()));
  }
}
