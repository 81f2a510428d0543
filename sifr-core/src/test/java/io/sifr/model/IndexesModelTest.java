package io.sifr.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.Index;
import io.sifr.IndexCursor;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.Isolation;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.DuplicateIndexKeyException;
import io.sifr.error.IndexNotBuiltException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Operators;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.SearchLength;
import io.sifr.testing.TestExtractors;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any writes, transactions, snapshots, flushes, compactions, loads and restarts of a database with
 * an index and a unique index, compared with a map: an index finds what the map says, of the
 * present, of each snapshot and within each transaction. Values expire, and the clock steps back.
 */
@Tag("model")
class IndexesModelTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int KEYS = 80;
  private static final int STEPS = SearchLength.of(1200, 10_000);
  private static final int MOST_SNAPSHOTS = 3;

  private static final DatabaseOptions INDEXED =
      DatabaseOptions.builder()
          .index("words", TestExtractors.WORDS)
          .uniqueIndex("heads", TestExtractors.HEAD)
          .separateValuesFrom(200)
          .build();

  private final Random random = new Random();
  private Instant now = Instant.ofEpochMilli(1_000_000);

  /** Values, and when they expire. */
  private record Value(String text, long due) {}

  private NavigableMap<String, Value> model = new TreeMap<>();

  /** A snapshot, and what it sees. */
  private record Seen(Snapshot snapshot, NavigableMap<String, Value> content) {}

  private int conflicts;

  private final List<Seen> snapshots = new ArrayList<>();

  static LongStream seeds() {
    return LongStream.concat(LongStream.rangeClosed(1, 4), LongStream.of(System.nanoTime()));
  }

  private StoreOptions options() {
    return StoreOptions.builder()
        .writeBufferBytes(6144 + random.nextInt(6144))
        .totalWriteBufferBytes(64 << 10)
        .splitUnitBytes(4096)
        .logSegmentBytes(16 << 10)
        .maxLogBytes(64 << 10)
        .keptLogBytes(random.nextInt(2) << 14)
        .retainedLogBytes(random.nextInt(2) << 20)
        .compaction(
            random.nextBoolean()
                ? CompactionPolicy.splitForest(2, random.nextBoolean())
                : CompactionPolicy.leveled())
        .build();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void indexesFindWhatThereIs(long seed) throws InterruptedException {
    random.setSeed(seed);
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    int steps = 0;
    while (steps < STEPS) {
      StoreOptions options = options();
      Extensions extensions =
          Extensions.of(options)
              .with(
                  new Operators(Set.of(), false)
                      .withExtractors(List.of(TestExtractors.WORDS, TestExtractors.HEAD)))
              .with((InstantSource) () -> now);
      CrashDisk left;
      try (Store store =
          TestStores.open(DIRECTORY, options, disk.fileSystem(), StoreListener.NONE, extensions)) {
        Database database = store.openOrCreateDatabase("indexed", INDEXED);
        compare(database);
        for (int few = random.nextInt(200); few > 0; few--, steps++) {
          step(store, database);
        }
        snapshots.forEach(each -> each.snapshot.close());
        snapshots.clear();
        store.flush();
        left = random.nextBoolean() ? disk.kill() : disk.crash(random);
      }
      assertThat(TestChecks.run(disk.fileSystem(), DIRECTORY).findings()).isEmpty();
      disk = random.nextInt(3) == 0 ? disk.kill() : left;
    }
    assertThat(conflicts).isLessThan(steps / 20);
  }

  private void step(Store store, Database database) throws InterruptedException {
    switch (random.nextInt(22)) {
      case 0 -> store.flush();
      case 1, 2 -> compare(database);
      case 3 -> database.compact(KeyRange.atLeast(bytes(key())));
      case 4, 5 -> {
        String key = key();
        database.delete(bytes(key), how());
        model.remove(key);
      }
      case 6 -> {
        String from = key();
        String to = from + "5";
        database.deleteRange(KeyRange.between(bytes(from), bytes(to)), how());
        model.subMap(from, to).clear();
      }
      case 7 -> snapshot(store, database);
      case 8, 9 -> transaction(store, database);
      case 10, 11 -> batch(store, database);
      case 12 -> conditional(database);
      case 13 -> now = now.plusSeconds(random.nextInt(40));
      case 14 -> stepBack();
      case 15 -> Index.of(database, random.nextBoolean() ? "words" : "heads").clean();
      case 16 -> {
        if (random.nextInt(4) == 0) {
          Index.of(database, random.nextBoolean() ? "words" : "heads").rebuild();
          compare(database);
        }
      }
      case 17 -> {
        if (random.nextInt(3) == 0) {
          load(database);
        }
      }
      default -> put(database);
    }
  }

  /**
   * The clock may only be set back over values that are there still: what has expired may have been
   * dropped, or not.
   */
  private void stepBack() {
    long earliest =
        Stream.concat(Stream.of(model), snapshots.stream().map(Seen::content))
            .flatMap(content -> content.values().stream())
            .mapToLong(Value::due)
            .filter(due -> due <= now.toEpochMilli())
            .max()
            .orElse(0);
    long back = Math.min(20_000, now.toEpochMilli() - earliest - 1);
    if (back > 0) {
      now = now.minusMillis(random.nextInt((int) back + 1));
    }
  }

  private WriteOptions how() {
    return WriteOptions.of(durability());
  }

  private Durability durability() {
    List<Durability> all = List.of(Durability.values());
    return all.get(random.nextInt(all.size()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private String key() {
    return "key" + random.nextInt(KEYS);
  }

  private String value() {
    StringBuilder value = new StringBuilder();
    if (random.nextInt(3) > 0) {
      value.append("head").append(random.nextInt(2 * KEYS)).append(", ");
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      value.append("word").append(random.nextInt(6)).append(' ');
    }
    return value.append(" ".repeat(random.nextInt(300))).toString();
  }

  private static @Nullable String head(String value) {
    int comma = value.indexOf(',');
    return comma < 0 ? null : value.substring(0, comma);
  }

  private boolean isThere(Value value) {
    return value.due > now.toEpochMilli();
  }

  private boolean hasDuplicates(Map<String, Value> content) {
    Set<String> heads = new TreeSet<>();
    return content.values().stream()
        .filter(this::isThere)
        .map(value -> head(value.text))
        .anyMatch(head -> head != null && !heads.add(head));
  }

  /** Does something that changes a copy of the model, and happens unless it has duplicates then. */
  private void tried(NavigableMap<String, Value> changed, Runnable write) {
    boolean refused = false;
    try {
      write.run();
    } catch (DuplicateIndexKeyException e) {
      refused = true;
    }
    assertThat(refused).isEqualTo(hasDuplicates(changed));
    if (!refused) {
      model = changed;
    }
  }

  private void put(Database database) {
    String key = key();
    String value = value();
    NavigableMap<String, Value> changed = new TreeMap<>(model);
    WriteOptions how = how();
    if (random.nextInt(4) == 0) {
      int seconds = 1 + random.nextInt(60);
      how =
          WriteOptions.builder()
              .durability(durability())
              .expireAfter(Duration.ofSeconds(seconds))
              .build();
      changed.put(key, new Value(value, now.plusSeconds(seconds).toEpochMilli()));
    } else {
      changed.put(key, new Value(value, Long.MAX_VALUE));
    }
    WriteOptions chosen = how;
    tried(changed, () -> database.put(bytes(key), bytes(value), chosen));
  }

  private void batch(Store store, Database database) {
    WriteBatch batch = new WriteBatch();
    NavigableMap<String, Value> changed = new TreeMap<>(model);
    for (int i = random.nextInt(8); i >= 0; i--) {
      String key = key();
      switch (random.nextInt(6)) {
        case 0 -> {
          batch.delete(database, bytes(key));
          changed.remove(key);
        }
        case 1 -> {
          batch.deleteRange(database, KeyRange.between(bytes(key), bytes(key + "9")));
          changed.subMap(key, key + "9").clear();
        }
        default -> {
          String value = value();
          batch.put(database, bytes(key), bytes(value));
          changed.put(key, new Value(value, Long.MAX_VALUE));
        }
      }
    }
    tried(changed, () -> store.write(batch, how()));
  }

  private void conditional(Database database) {
    String key = key();
    String value = value();
    Value before = model.get(key);
    if (random.nextBoolean()) {
      NavigableMap<String, Value> changed = new TreeMap<>(model);
      if (before == null || !isThere(before)) {
        changed.put(key, new Value(value, Long.MAX_VALUE));
      }
      tried(changed, () -> database.putIfAbsent(bytes(key), bytes(value), how()));
    } else if (before != null && isThere(before)) {
      assertThat(database.getAndDelete(bytes(key), how())).isEqualTo(bytes(before.text));
      model.remove(key);
    }
  }

  private void transaction(Store store, Database database) {
    TransactionOptions options =
        TransactionOptions.builder()
            .isolation(random.nextBoolean() ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT)
            .build();
    NavigableMap<String, Value> own = new TreeMap<>(model);
    try (Transaction transaction = store.beginTransaction(options)) {
      for (int i = random.nextInt(8); i >= 0; i--) {
        String key = key();
        switch (random.nextInt(6)) {
          case 0 -> {
            transaction.delete(database, bytes(key));
            own.remove(key);
          }
          case 1 -> {
            transaction.deleteRange(database, KeyRange.between(bytes(key), bytes(key + "9")));
            own.subMap(key, key + "9").clear();
          }
          case 2 -> {
            Index index = Index.of(database, "words");
            if (index.progress().isBuilt()) {
              compareIn(transaction, index, own);
            }
          }
          default -> {
            String value = value();
            transaction.put(database, bytes(key), bytes(value));
            own.put(key, new Value(value, Long.MAX_VALUE));
          }
        }
      }
      if (random.nextInt(3) > 0) {
        WriteOptions how = how();
        tried(own, () -> transaction.commit(how));
      }
    } catch (ConflictException e) {
      // What does not count any more was deleted meanwhile, from the index or of what has expired.
      conflicts++;
    }
  }

  private void compareIn(Transaction transaction, Index index, Map<String, Value> content) {
    try (IndexCursor cursor = index.cursor(transaction, KeyRange.all())) {
      assertThat(texts(cursor)).isEqualTo(expected(content, "words"));
    } catch (IndexNotBuiltException e) {
      assertThat(e).hasMessageContaining("younger");
    }
  }

  private void snapshot(Store store, Database database) {
    if (snapshots.size() == MOST_SNAPSHOTS) {
      Seen old = snapshots.remove(random.nextInt(MOST_SNAPSHOTS));
      compare(database, old);
      old.snapshot.close();
    }
    snapshots.add(new Seen(store.snapshot(), new TreeMap<>(model)));
  }

  private void load(Database database) {
    try (BulkLoader loader = database.bulkLoader().memoryBytes(1 << 16).open()) {
      for (int i = random.nextInt(10); i >= 0; i--) {
        String key = key();
        loader.put(bytes(key), bytes("word1 word2"));
        model.put(key, new Value("word1 word2", Long.MAX_VALUE));
      }
      loader.finish();
    }
    awaitBoth(database);
  }

  private static void awaitBoth(Database database) {
    try {
      assertThat(Index.of(database, "words").awaitBuilt(Duration.ofMinutes(1))).isTrue();
      assertThat(Index.of(database, "heads").awaitBuilt(Duration.ofMinutes(1))).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Index keys with keys and values, in the order of the index. */
  private List<String> expected(Map<String, Value> content, String index) {
    TreeSet<String> found = new TreeSet<>();
    content.forEach(
        (key, value) -> {
          if (isThere(value)) {
            var extractor = index.equals("words") ? TestExtractors.WORDS : TestExtractors.HEAD;
            for (byte[] each : extractor.indexKeys(bytes(key), bytes(value.text))) {
              found.add(new String(each, UTF_8) + "\u0001" + key + "\u0001" + value.text.strip());
            }
          }
        });
    return List.copyOf(found);
  }

  private static List<String> texts(IndexCursor cursor) {
    List<String> found = new ArrayList<>();
    while (cursor.next()) {
      found.add(text(cursor));
    }
    return found;
  }

  private static String text(IndexCursor cursor) {
    return new String(cursor.indexKey(), UTF_8)
        + "\u0001"
        + new String(cursor.key(), UTF_8)
        + "\u0001"
        + new String(cursor.value(), UTF_8).strip();
  }

  private void compare(Database database) {
    awaitBoth(database);
    for (String name : List.of("words", "heads")) {
      List<String> expected = expected(model, name);
      Index index = Index.of(database, name);
      try (IndexCursor cursor = index.cursor(KeyRange.all())) {
        assertThat(texts(cursor)).isEqualTo(expected);
        for (int i = 0; i < 10; i++) {
          walk(cursor, expected);
        }
      }
      Map<String, Integer> counts = new HashMap<>();
      expected.forEach(
          each -> counts.merge(each.substring(0, each.indexOf('\u0001')), 1, Integer::sum));
      counts.forEach((key, count) -> assertThat(index.get(bytes(key))).hasSize(count));
    }
    snapshots.forEach(each -> compare(database, each));
  }

  /** Seeks, and steps from there in one direction and back. */
  private void walk(IndexCursor cursor, List<String> expected) {
    String target = (random.nextBoolean() ? "word" : "head") + random.nextInt(9);
    int at = 0;
    while (at < expected.size() && expected.get(at).compareTo(target) < 0) {
      at++;
    }
    if (random.nextBoolean()) {
      assertThat(cursor.seek(bytes(target))).isEqualTo(at < expected.size());
    } else {
      assertThat(cursor.seekBefore(bytes(target))).isEqualTo(at > 0);
      at--;
    }
    for (int i = 0; i < 6 && at >= 0 && at < expected.size(); i++) {
      assertThat(text(cursor)).isEqualTo(expected.get(at));
      boolean forward = random.nextBoolean();
      at += forward ? 1 : -1;
      boolean moved = forward ? cursor.next() : cursor.previous();
      assertThat(moved).isEqualTo(at >= 0 && at < expected.size());
    }
  }

  private void compare(Database database, Seen seen) {
    for (String name : List.of("words", "heads")) {
      Index index = Index.of(database, name);
      try (IndexCursor cursor = index.cursor(KeyRange.all(), ReadOptions.at(seen.snapshot))) {
        assertThat(texts(cursor)).isEqualTo(expected(seen.content, name));
      } catch (IndexNotBuiltException e) {
        assertThat(e).hasMessageMatching(".*(younger than|being built).*");
      }
    }
  }

  /** Threads give entries the same keys of a unique index: of those that do so one succeeds. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void uniqueKeysStayUniqueUnderConcurrency(long seed) throws InterruptedException {
    try (Store store =
        Store.inMemory()
            .indexExtractor(TestExtractors.WORDS)
            .indexExtractor(TestExtractors.HEAD)
            .open()) {
      Database database = store.createDatabase("indexed", INDEXED);
      AtomicInteger refused = new AtomicInteger();
      List<Throwable> failures = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Random own = new Random(seed + i);
        threads.add(
            new Thread(
                () -> {
                  try {
                    for (int step = 0; step < 1500; step++) {
                      refused.addAndGet(contend(store, database, own) ? 0 : 1);
                    }
                  } catch (RuntimeException | Error e) {
                    synchronized (failures) {
                      failures.add(e);
                    }
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failures).isEmpty();
      assertThat(refused.get()).isPositive();
      List<String> heads = TestExtractors.expected(database, TestExtractors.HEAD);
      assertThat(heads.stream().map(each -> each.substring(0, each.indexOf(' '))))
          .doesNotHaveDuplicates();
      assertThat(TestExtractors.found(Index.of(database, "heads").cursor(KeyRange.all())))
          .isEqualTo(heads);
    }
  }

  /** Returns whether it was not refused. */
  private static boolean contend(Store store, Database database, Random own) {
    byte[] key = bytes("key" + own.nextInt(30));
    byte[] value = bytes("head" + own.nextInt(20) + ", word" + own.nextInt(3));
    try {
      switch (own.nextInt(8)) {
        case 0 -> database.delete(key);
        case 1 ->
            store.inTransaction(
                transaction -> {
                  transaction.put(database, key, value);
                  transaction.delete(database, bytes("key" + own.nextInt(30)));
                  return true;
                });
        case 2 -> database.putIfAbsent(key, value);
        case 3 -> {
          byte[] head = bytes("head" + own.nextInt(20));
          assertThat(Index.of(database, "heads").get(head)).hasSizeLessThan(2);
        }
        default -> database.put(key, value);
      }
      return true;
    } catch (DuplicateIndexKeyException | ConflictException e) {
      return false;
    }
  }
}
