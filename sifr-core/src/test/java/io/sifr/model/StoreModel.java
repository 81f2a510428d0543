package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.Isolation;
import io.sifr.config.LogAccess;
import io.sifr.config.MergeTrigger;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.ReadMerges;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.TestCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.MergeOperatorTable;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.TestOperators;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store and what it should hold. Every step does one random thing to both and compares. Options
 * are so small that a few hundred steps pass through flush, merge, move and recovery.
 */
final class StoreModel implements AutoCloseable {

  private static final int MOST_SNAPSHOTS = 4;
  private static final int MOST_CURSORS = 3;
  private static final int MOST_READERS = 3;
  private static final List<MergeOperator> OPERATORS =
      List.of(TestOperators.CHAIN, TestOperators.CHAIN_ONE_BY_ONE, MergeOperators.MAXIMUM);

  /** Longest time for which values are there. */
  private static final int MOST_MILLIS = 5000;

  private static final List<SearchScheme> SCHEMES = List.of(SearchScheme.values());

  private final long seed;
  private final Random random;
  private final Path directory;
  private final RandomKeys keys;

  /** One in so many range deletes leaves little of a database. */
  private final int wideOneIn;

  private final StoreOptions options;
  private final BiFunction<StoreOptions, Random, CompactionPolicy> policies;
  private final StoreFileSystem fileSystem = new NoSyncFileSystem(new DiskFileSystem());
  private final Map<String, NavigableMap<byte[], byte[]>> expected = new TreeMap<>();
  private final List<SnapshotPair> snapshots = new ArrayList<>();

  /** Receive the writes. */
  private final List<Touched> followers = new ArrayList<>();

  private final List<CursorPair> cursors = new ArrayList<>();
  private final Lifetimes lifetimes = new Lifetimes();
  private long now = 1_700_000_000_000L;
  private Store store;
  private long steps;
  private int ingested;
  private String step = "open";

  /** Read only, beside the store. */
  private final List<ReaderPair> readers = new ArrayList<>();

  private record ReaderPair(Store reader, Map<String, NavigableMap<byte[], byte[]>> expected) {}

  private record SnapshotPair(
      Snapshot snapshot, Map<String, NavigableMap<byte[], byte[]>> expected, Touched touched) {}

  /** A cursor and the key it should stand on; null before the first or behind the last. */
  private static final class CursorPair {
    private final String database;
    private final Cursor cursor;
    private NavigableMap<byte[], byte[]> expected;
    private byte @Nullable [] at;
    private boolean behindLast;
    private boolean fresh = true;

    private CursorPair(String database, Cursor cursor, NavigableMap<byte[], byte[]> expected) {
      this.database = database;
      this.cursor = cursor;
      this.expected = expected;
    }
  }

  /**
   * @param policies gives the compaction policy of each opening
   */
  StoreModel(
      long seed,
      Path directory,
      ReadMode readMode,
      boolean hasFilters,
      BiFunction<StoreOptions, Random, CompactionPolicy> policies) {
    this.policies = policies;
    this.seed = seed;
    this.random = new Random(seed);
    this.directory = directory;
    this.keys = new RandomKeys(random, 20 + random.nextInt(600));
    this.wideOneIn = random.nextInt(3) == 0 ? 60 : 2;
    this.options =
        StoreOptions.builder()
            .writeBufferBytes(4096L << random.nextInt(5))
            .totalWriteBufferBytes((16L << 10) << random.nextInt(5))
            .splitUnitBytes(4096L << random.nextInt(4))
            .maxSstBytes(4096L << random.nextInt(8))
            .sstsBeforeGrowth(1 + random.nextInt(20))
            .cleaningThresholdBytes(4096L << random.nextInt(8))
            .growthFactor(2 + random.nextInt(3))
            .mergeTrigger(random.nextBoolean() ? MergeTrigger.EAGER : MergeTrigger.LAZY)
            .maxSpaceAmplification(random.nextInt(3) == 0 ? 0 : 1.1 + random.nextDouble())
            .logAccess(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN)
            .logSegmentBytes(4096 << random.nextInt(6))
            .maxLogBytes(1 << 18)
            .keptLogBytes(random.nextInt(3) == 0 ? 0 : 1L << (8 + random.nextInt(12)))
            .mergeThreads(1 + random.nextInt(3))
            .maxImmutableMemtables(1 + random.nextInt(4))
            .readMode(readMode)
            .blockCacheBytes(Math.max(0, random.nextInt(24) - 4) * 8192L)
            .memoryBudgetBytes((1L << 20) << random.nextInt(6))
            .maxOpenSsts(random.nextInt(4) == 0 ? 16 + random.nextInt(100) : 8192)
            .searchScheme(anyScheme())
            .searchThreads(1 + random.nextInt(8))
            .filterBitsPerKey(hasFilters ? 1 + random.nextInt(12) : 0)
            .build();
    this.store = open();
    store.alterDatabase(Store.DEFAULT_DATABASE, anyOptions());
    expected.put(Store.DEFAULT_DATABASE, emptyMap());
  }

  private Store open() {
    return open(directory);
  }

  private Store open(Path where) {
    return TestStores.open(where, options, fileSystem, StoreListener.NONE, anyExtensions());
  }

  private Extensions anyExtensions() {
    Extensions extensions =
        new Extensions(
            EntryKinds.STANDARD,
            TestCodecs.inSmallParts(TestCodecs.any(random)),
            policies.apply(options, random),
            random.nextInt(3) == 0 ? ReadMerges.NONE : new ReadMerges(1e-9, anyShape()),
            new MergeOperatorTable(OPERATORS, false));
    return extensions.with(() -> Instant.ofEpochMilli(now));
  }

  private DatabaseOptions anyOptions() {
    DatabaseOptions.Builder drawn = DatabaseOptions.builder().compression(anyCompression());
    if (random.nextInt(4) == 0) {
      return drawn.expireAfter(anyTime()).build();
    }
    return drawn.mergeOperator(OPERATORS.get(random.nextInt(OPERATORS.size()))).build();
  }

  private @Nullable Compression anyCompression() {
    List<Compression> all = List.of(Compression.values());
    int choice = random.nextInt(3 * all.size());
    return choice < all.size() ? all.get(choice) : null;
  }

  private Duration anyTime() {
    return Duration.ofMillis(1 + random.nextInt(MOST_MILLIS));
  }

  private Shape anyShape() {
    return random.nextInt(4) == 0 ? Shape.WHOLE : Shape.MOVES;
  }

  private SearchScheme anyScheme() {
    return SCHEMES.get(random.nextInt(SCHEMES.size()));
  }

  private ReadOptions.Builder anyReadOptions() {
    return ReadOptions.builder().searchScheme(anyScheme());
  }

  private static NavigableMap<byte[], byte[]> emptyMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Seed, options and what was being done, for the message of a failure. */
  String describe() {
    return "seed " + seed + ", step " + steps + " (" + step + "), " + options;
  }

  void run(long count) {
    for (long i = 0; i < count; i++) {
      steps++;
      oneStep();
    }
    step = "compare all";
    compareAll();
  }

  private void oneStep() {
    int choice = random.nextInt(1000);
    if (choice < 340) {
      put();
    } else if (choice < 420) {
      delete();
    } else if (choice < 440) {
      named("change", this::change);
    } else if (choice < 445) {
      ingest();
    } else if (choice < 448) {
      load();
    } else if (choice < 480) {
      batch();
    } else if (choice < 490) {
      named("batch with conditions", this::batchWithConditions);
    } else if (choice < 500) {
      named("transaction", this::transaction);
    } else if (choice < 600) {
      deleteRange();
    } else if (choice < 735) {
      get();
    } else if (choice < 740) {
      named("read beside", this::readBeside);
    } else if (choice < 756) {
      multiGet();
    } else if (choice < 760) {
      named("time passes", this::timePasses);
    } else if (choice < 820) {
      shortWalk();
    } else if (choice < 900) {
      moveOpenCursor();
    } else if (choice < 920) {
      openSnapshot();
    } else if (choice < 935) {
      closeSnapshot();
    } else if (choice < 970) {
      getAtSnapshot();
    } else if (choice < 980) {
      named("flush", () -> store.flush());
    } else if (choice < 983) {
      named("get much", this::getMuch);
    } else if (choice < 985) {
      named("await idle", () -> store.awaitIdle());
    } else if (choice < 987) {
      named("compact", () -> anyDatabase().compact());
    } else if (choice < 989) {
      named("compact a range", () -> anyDatabase().compact(anyRange()));
    } else if (choice < 992) {
      createOrDrop();
    } else if (choice < 995) {
      named("sync", () -> store.sync());
    } else if (choice < 997) {
      named("reopen", this::reopen);
    } else if (choice < 998) {
      named("checkpoint", this::checkpoint);
    } else {
      named("compare all", this::compareAll);
    }
  }

  private void named(String name, Runnable action) {
    step = name;
    action.run();
  }

  private String anyName() {
    List<String> names = new ArrayList<>(expected.keySet());
    return names.get(random.nextInt(names.size()));
  }

  private Database anyDatabase() {
    return store.database(anyName());
  }

  private Durability anyDurability() {
    int choice = random.nextInt(50);
    return choice == 0 ? Durability.SYNC : choice < 5 ? Durability.NONE : Durability.BUFFERED;
  }

  private byte[] anyValue() {
    int length =
        switch (random.nextInt(20)) {
          case 0 -> 0;
          case 1 -> random.nextInt(20_000);
          default -> random.nextInt(200);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  private NavigableMap<byte[], byte[]> model(String name) {
    NavigableMap<byte[], byte[]> map = expected.get(name);
    if (map == null) {
      throw new AssertionError("no model of " + name);
    }
    return map;
  }

  private void put() {
    step = "put";
    String name = anyName();
    byte[] key = keys.any(random);
    byte[] value = anyValue();
    int choice = random.nextInt(10);
    Database database = store.database(name);
    if (choice < 3 && database.options().mergeOperator() != null) {
      database.merge(key, value, anyDurability());
      nowHas(name, key, merged(name, key, value));
    } else if (choice == 3) {
      database.put(Unpooled.wrappedBuffer(key), Unpooled.wrappedBuffer(value), anyDurability());
      nowHasPut(name, key, value);
    } else if (choice == 4) {
      database.put(
          key, value, WriteOptions.builder().neverExpire().durability(anyDurability()).build());
      nowHas(name, key, value);
    } else if (choice == 5) {
      Duration time = anyTime();
      database.put(
          key, value, WriteOptions.builder().expireAfter(time).durability(anyDurability()).build());
      nowHas(name, key, value, time);
    } else {
      database.put(key, value, anyDurability());
      nowHasPut(name, key, value);
    }
  }

  /** What is due has gone, for snapshots and cursors as well. */
  private void timePasses() {
    now += random.nextInt(MOST_MILLIS / 2);
    expected.values().forEach(map -> lifetimes.expire(now, map));
    snapshots.forEach(pair -> pair.expected.values().forEach(map -> lifetimes.expire(now, map)));
    readers.forEach(pair -> pair.expected.values().forEach(map -> lifetimes.expire(now, map)));
    cursors.forEach(pair -> lifetimes.expire(now, pair.expected));
  }

  /** As {@link #nowHas(String, byte[], byte[])}, for as long as the database says. */
  private void nowHasPut(String name, byte[] key, byte[] value) {
    nowHas(name, key, value, store.database(name).options().expireAfter());
  }

  private void nowHas(String name, byte[] key, byte[] value, @Nullable Duration time) {
    if (time != null) {
      lifetimes.end(value, now + time.toMillis());
    }
    nowHas(name, key, value);
  }

  private void nowHas(String name, byte[] key, byte[] value) {
    model(name).put(key, value);
    followers.forEach(follower -> follower.touch(name, key));
  }

  private void nowLacks(String name, byte[] key) {
    model(name).remove(key);
    followers.forEach(follower -> follower.touch(name, key));
  }

  private void nowLacks(String name, KeyRange range) {
    model(name).keySet().removeIf(range::contains);
    followers.forEach(follower -> follower.touch(name, range));
  }

  /** Operations that read and write one key. */
  private void change() {
    String name = anyName();
    Database database = store.database(name);
    byte[] key = keys.any(random);
    byte[] before = model(name).get(key);
    byte[] value = anyValue();
    switch (random.nextInt(5)) {
      case 0 -> {
        assertThat(database.putIfAbsent(key, value, anyDurability()))
            .as(this::describe)
            .isEqualTo(before);
        if (before == null) {
          nowHasPut(name, key, value);
        }
      }
      case 1 -> {
        assertThat(database.getAndPut(key, value, anyDurability()))
            .as(this::describe)
            .isEqualTo(before);
        nowHasPut(name, key, value);
      }
      case 2 -> {
        assertThat(database.getAndDelete(key, anyDurability()))
            .as(this::describe)
            .isEqualTo(before);
        if (before != null) {
          nowLacks(name, key);
        }
      }
      default -> {
        byte[] expected = random.nextInt(4) == 0 ? anyValue() : before;
        byte[] next = random.nextInt(4) == 0 ? null : value;
        boolean matches = Arrays.equals(expected, before);
        assertThat(database.compareAndSet(key, expected, next, anyDurability()))
            .as(this::describe)
            .isEqualTo(matches);
        if (matches && next != null) {
          nowHasPut(name, key, next);
        } else if (matches && before != null) {
          nowLacks(name, key);
        }
      }
    }
  }

  private void batchWithConditions() {
    WriteBatch batch = new WriteBatch();
    boolean holds = true;
    boolean surelyHoldsNot = false;
    for (int i = random.nextInt(4); i >= 0; i--) {
      String name = anyName();
      Database database = store.database(name);
      byte[] key = keys.any(random);
      byte[] value = model(name).get(key);
      SnapshotPair since =
          snapshots.isEmpty() ? null : snapshots.get(random.nextInt(snapshots.size()));
      if (since != null && since.expected.containsKey(name) && random.nextInt(3) > 0) {
        if (random.nextBoolean()) {
          batch.requireUnchanged(database, key, since.snapshot);
          holds &= !since.touched.has(name, key);
          surelyHoldsNot |= isSurelyTouched(since.touched, since.expected, name, only(key));
        } else {
          KeyRange range = narrowRange();
          batch.requireUnchanged(database, range, since.snapshot);
          holds &= !since.touched.hasOneIn(name, range);
          surelyHoldsNot |= isSurelyTouched(since.touched, since.expected, name, range);
        }
      } else if (random.nextInt(4) == 0) {
        byte[] other = anyValue();
        batch.requireValue(database, key, other);
        holds &= Arrays.equals(value, other);
        surelyHoldsNot |= !Arrays.equals(value, other);
      } else if (value == null) {
        batch.requireAbsent(database, key);
      } else {
        batch.requireValue(database, key, value);
      }
    }
    String name = anyName();
    byte[] key = keys.any(random);
    byte[] value = anyValue();
    batch.put(store.database(name), key, value);
    boolean isWritten = true;
    try {
      store.write(batch, anyDurability());
    } catch (ConflictException e) {
      isWritten = false;
    }
    assertThat(isWritten).as(this::describe).isIn(holds, !surelyHoldsNot);
    if (isWritten) {
      nowHasPut(name, key, value);
    }
  }

  private static KeyRange only(byte[] key) {
    return KeyRange.between(key, true, key, true);
  }

  /**
   * Whether the store must know that a key of a range was touched: of one that had no value then
   * and has none now, a compaction may have dropped all traces.
   */
  private boolean isSurelyTouched(
      Touched touched,
      Map<String, NavigableMap<byte[], byte[]>> then,
      String name,
      KeyRange range) {
    NavigableMap<byte[], byte[]> there = part(then.getOrDefault(name, emptyMap()), range);
    there.putAll(part(model(name), range));
    return there.keySet().stream().anyMatch(key -> touched.has(name, key));
  }

  /** Whether the store must know that keys were touched by two. */
  private boolean surelyMeet(
      Touched touched, Map<String, NavigableMap<byte[], byte[]>> then, Touched other) {
    boolean[] meet = new boolean[1];
    other.replay(
        (name, key) -> meet[0] |= isSurelyTouched(touched, then, name, only(key)),
        (name, range) -> meet[0] |= isSurelyTouched(touched, then, name, range));
    return meet[0];
  }

  /** Reads and writes in a transaction, with some writes of others in between. */
  private void transaction() {
    Isolation isolation = random.nextBoolean() ? Isolation.SNAPSHOT : Isolation.SERIALIZABLE;
    Map<String, NavigableMap<byte[], byte[]>> seen = copyOfExpected();
    Map<String, NavigableMap<byte[], byte[]>> then = copyOfExpected();
    Touched mine = new Touched();
    Touched read = new Touched();
    Touched others = new Touched();
    followers.add(others);
    TransactionOptions options = TransactionOptions.builder().isolation(isolation).build();
    try (Transaction transaction = store.beginTransaction(options)) {
      int oneOfOthersIn = 1 + random.nextInt(30);
      for (int i = random.nextInt(25); i > 0; i--) {
        if (random.nextInt(oneOfOthersIn) == 0) {
          writeOfOthers();
        }
        stepOf(transaction, seen, mine, read);
      }
      if (random.nextInt(8) == 0) {
        return;
      }
      boolean isSerializable = isolation == Isolation.SERIALIZABLE;
      boolean readsCount = isSerializable && mine.hasKeys();
      boolean mustFail =
          surelyMeet(others, then, mine) || (readsCount && surelyMeet(others, then, read));
      // A cursor reads also what it passes.
      boolean mayFail = isSerializable || others.meets(mine);
      commit(transaction, seen, mine, others, mustFail, mayFail);
    } finally {
      followers.remove(others);
    }
  }

  private void writeOfOthers() {
    switch (random.nextInt(5)) {
      case 0 -> delete();
      case 1 -> batch();
      case 2 -> deleteRange();
      case 3 -> store.flush();
      default -> put();
    }
    step = "transaction";
  }

  private void stepOf(
      Transaction transaction,
      Map<String, NavigableMap<byte[], byte[]>> seen,
      Touched mine,
      Touched read) {
    String name = anyName();
    Database database = store.database(name);
    NavigableMap<byte[], byte[]> map = seen.getOrDefault(name, emptyMap());
    byte[] key = keys.any(random);
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        byte[] value = anyValue();
        transaction.put(database, key, value);
        map.put(key, value);
        mine.touch(name, key);
      }
      case 2 -> {
        transaction.delete(database, key);
        map.remove(key);
        mine.touch(name, key);
      }
      case 3 -> {
        KeyRange range = narrowRange();
        transaction.deleteRange(database, range);
        map.keySet().removeIf(range::contains);
        mine.touch(name, range);
      }
      case 4, 5 -> {
        assertThat(transaction.get(database, key)).as(this::describe).isEqualTo(map.get(key));
        assertThat(transaction.contains(database, key))
            .as(this::describe)
            .isEqualTo(map.containsKey(key));
        read.touch(name, key);
      }
      default -> {
        KeyRange range = anyRange();
        CursorPair pair = new CursorPair(name, transaction.cursor(database, range), emptyMap());
        for (int i = random.nextInt(12); i > 0; i--) {
          pair.expected = part(map, range);
          move(pair);
          if (pair.at != null) {
            read.touch(name, pair.at);
          }
          byte[] written = keys.any(random);
          if (random.nextInt(3) == 0) {
            byte[] value = anyValue();
            transaction.put(database, written, value);
            map.put(written, value);
            mine.touch(name, written);
          } else if (random.nextInt(3) == 0 && pair.at != null) {
            transaction.delete(database, pair.at);
            map.remove(pair.at);
            mine.touch(name, pair.at);
          }
        }
        pair.cursor.close();
      }
    }
  }

  private void commit(
      Transaction transaction,
      Map<String, NavigableMap<byte[], byte[]>> seen,
      Touched mine,
      Touched others,
      boolean mustFail,
      boolean mayFail) {
    try {
      transaction.commit(anyDurability());
    } catch (ConflictException e) {
      assertThat(mustFail || mayFail).as(this::describe).isTrue();
      assertThat(others.has(e.database(), e.key())).as(this::describe).isTrue();
      return;
    }
    assertThat(mustFail).as(this::describe).isFalse();
    mine.replay(
        (name, key) -> {
          byte[] value = seen.getOrDefault(name, emptyMap()).get(key);
          if (value == null) {
            nowLacks(name, key);
          } else {
            nowHasPut(name, key, value);
          }
        },
        (name, range) -> {
          nowLacks(name, range);
          part(seen.getOrDefault(name, emptyMap()), range)
              .forEach((key, value) -> nowHasPut(name, key, value));
        });
  }

  private static NavigableMap<byte[], byte[]> part(
      NavigableMap<byte[], byte[]> map, KeyRange range) {
    NavigableMap<byte[], byte[]> part = emptyMap();
    map.forEach(
        (key, value) -> {
          if (range.contains(key)) {
            part.put(key, value);
          }
        });
    return part;
  }

  private byte[] merged(String name, byte[] key, byte[] operand) {
    String given = store.database(name).options().mergeOperator();
    MergeOperator operator =
        OPERATORS.stream().filter(each -> each.name().equals(given)).findFirst().orElseThrow();
    return lifetimes.merged(
        model(name).get(key), existing -> operator.merge(key, existing, operand));
  }

  private void delete() {
    step = "delete";
    String name = anyName();
    byte[] key = keys.any(random);
    store.database(name).delete(key, anyDurability());
    nowLacks(name, key);
  }

  private void deleteRange() {
    step = "delete range";
    String name = anyName();
    KeyRange range = random.nextInt(wideOneIn) == 0 ? wideRange() : narrowRange();
    store.database(name).deleteRange(range, anyDurability());
    nowLacks(name, range);
  }

  /** More than half of the keys, and sometimes all of them. */
  private KeyRange wideRange() {
    byte[] low = keys.ranked(random.nextDouble() / 4);
    byte[] high = keys.ranked(1 - random.nextDouble() / 4);
    return switch (random.nextInt(8)) {
      case 0 -> KeyRange.all();
      case 1 -> KeyRange.atLeast(low);
      case 2 -> KeyRange.lessThan(high);
      default -> KeyRange.between(low, high);
    };
  }

  /** Some neighbours, one key, or none. */
  private KeyRange narrowRange() {
    double rank = random.nextDouble();
    byte[] from = keys.ranked(rank);
    return switch (random.nextInt(6)) {
      case 0 -> KeyRange.prefix(from);
      case 1 -> KeyRange.between(from, keys.any(random));
      case 2 -> KeyRange.between(from, Arrays.copyOf(from, Math.min(from.length + 1, 1 << 16)));
      default -> KeyRange.between(from, keys.ranked(Math.min(1, rank + random.nextDouble() / 20)));
    };
  }

  private void batch() {
    step = "batch";
    WriteBatch batch = new WriteBatch();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String name = anyName();
      byte[] key = keys.any(random);
      if (random.nextInt(10) == 0) {
        KeyRange range = narrowRange();
        batch.deleteRange(store.database(name), range);
        nowLacks(name, range);
      } else if (random.nextInt(3) == 0) {
        batch.delete(store.database(name), key);
        nowLacks(name, key);
      } else if (random.nextInt(6) == 0) {
        byte[] value = anyValue();
        Duration time = anyTime();
        batch.put(store.database(name), key, value, time);
        nowHas(name, key, value, time);
      } else if (random.nextInt(3) == 0 && store.database(name).options().mergeOperator() != null) {
        byte[] operand = anyValue();
        batch.merge(store.database(name), key, operand);
        nowHas(name, key, merged(name, key, operand));
      } else {
        byte[] value = anyValue();
        batch.put(store.database(name), key, value);
        nowHasPut(name, key, value);
      }
    }
    store.write(batch, anyDurability());
  }

  /** Files of several databases, and snapshots and cursors that do not see them. */
  private void ingest() {
    step = "ingest";
    Map<Database, List<Path>> files = new HashMap<>();
    for (String name : new TreeSet<>(List.of(anyName(), anyName()))) {
      NavigableMap<byte[], byte[]> some = emptyMap();
      anyKeys().forEach(key -> some.put(key, anyValue()));
      if (some.isEmpty()) {
        continue;
      }
      Path file = directory.resolveSibling(directory.getFileName() + "-file-" + ingested++);
      try (SstFileWriter writer = TestStores.writer(store, file)) {
        some.forEach(
            (key, value) -> {
              if (value.length % 3 == 0) {
                writer.delete(key);
                nowLacks(name, key);
              } else {
                writer.put(key, value);
                nowHas(name, key, value);
              }
            });
        files.put(store.database(name), writer.finish().files());
      }
    }
    IngestOptions options =
        IngestOptions.builder()
            .files(random.nextBoolean() ? IngestFiles.MOVE : IngestFiles.COPY)
            .verify(random.nextBoolean())
            .build();
    store.ingest(files, options);
  }

  private void load() {
    step = "load";
    String name = anyName();
    try (BulkLoader loader =
        store
            .database(name)
            .bulkLoader()
            .memoryBytes(1 << 16)
            .threads(1 + random.nextInt(3))
            .open()) {
      for (int i = random.nextInt(1000); i > 0; i--) {
        byte[] key = keys.any(random);
        byte[] value = anyValue();
        if (value.length % 5 == 0) {
          loader.delete(key);
          nowLacks(name, key);
        } else {
          loader.put(key, value);
          nowHasPut(name, key, value);
        }
      }
      loader.finish();
    }
  }

  private void get() {
    step = "get";
    String name = anyName();
    byte[] key = keys.any(random);
    byte[] value = model(name).get(key);
    Database database = store.database(name);
    assertThat(database.get(key)).as(this::describe).isEqualTo(value);
    assertThat(database.contains(key)).as(this::describe).isEqualTo(value != null);
    ReadOptions options = anyReadOptions().build();
    assertThat(database.get(key, options)).as(this::describe).isEqualTo(value);
    assertThat(database.contains(key, options)).as(this::describe).isEqualTo(value != null);
    assertThat(database.getAsync(key, options).join()).as(this::describe).isEqualTo(value);
    ByteBuf target = Unpooled.buffer();
    assertThat(database.get(Unpooled.wrappedBuffer(key), target))
        .as(this::describe)
        .isEqualTo(value != null);
    if (value != null) {
      assertThat(bytes(target)).as(this::describe).isEqualTo(value);
      byte[][] seen = new byte[1][];
      assertThat(database.read(key, view -> seen[0] = bytes(view))).isTrue();
      assertThat(seen[0]).as(this::describe).isEqualTo(value);
    }
  }

  /** So many that a merge may be due because of them. */
  private void getMuch() {
    for (int i = 0; i < 40; i++) {
      get();
    }
  }

  private void multiGet() {
    step = "multi-get";
    String name = anyName();
    Database database = store.database(name);
    List<byte[]> some = anyKeys();
    List<byte[]> values = database.multiGet(some, anyReadOptions().build());
    assertThat(values).as(this::describe).hasSameSizeAs(some);
    for (int i = 0; i < some.size(); i++) {
      assertThat(values.get(i)).as(this::describe).isEqualTo(model(name).get(some.get(i)));
    }
  }

  private List<byte[]> anyKeys() {
    List<byte[]> some = new ArrayList<>();
    for (int i = random.nextInt(40); i > 0; i--) {
      boolean again = !some.isEmpty() && random.nextInt(8) == 0;
      some.add(again ? some.get(random.nextInt(some.size())) : keys.any(random));
    }
    return some;
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }

  private void shortWalk() {
    step = "short walk";
    CursorPair pair = openCursor();
    try {
      int moves = random.nextInt(30);
      for (int i = 0; i < moves; i++) {
        move(pair);
      }
    } finally {
      pair.cursor.close();
    }
  }

  private void moveOpenCursor() {
    step = "move cursor";
    if (cursors.size() < MOST_CURSORS && random.nextInt(4) == 0) {
      cursors.add(openCursor());
    } else if (!cursors.isEmpty()) {
      int index = random.nextInt(cursors.size());
      if (random.nextInt(20) == 0) {
        cursors.remove(index).cursor.close();
      } else {
        for (int i = random.nextInt(8); i >= 0; i--) {
          move(cursors.get(index));
        }
      }
    }
  }

  private CursorPair openCursor() {
    boolean atSnapshot = !snapshots.isEmpty() && random.nextInt(3) == 0;
    SnapshotPair snapshot = atSnapshot ? snapshots.get(random.nextInt(snapshots.size())) : null;
    Map<String, NavigableMap<byte[], byte[]>> source =
        snapshot == null ? expected : snapshot.expected;
    List<String> names = source.keySet().stream().filter(expected::containsKey).toList();
    String name = names.get(random.nextInt(names.size()));
    NavigableMap<byte[], byte[]> map = source.get(name);
    if (map == null) {
      throw new AssertionError("no model of " + name);
    }
    KeyRange range = anyRange();
    NavigableMap<byte[], byte[]> part = part(map, range);
    Database database = store.database(name);
    ReadOptions.Builder options = anyReadOptions();
    if (snapshot != null) {
      options.snapshot(snapshot.snapshot);
    }
    Cursor cursor = database.cursor(range, options.build());
    return new CursorPair(name, cursor, part);
  }

  private KeyRange anyRange() {
    byte[] a = keys.any(random);
    byte[] b = keys.any(random);
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.atLeast(a);
      case 1 -> KeyRange.lessThan(a);
      case 2 -> KeyRange.between(a, b);
      case 3 -> KeyRange.prefix(Arrays.copyOf(a, Math.min(a.length, random.nextInt(22))));
      default -> KeyRange.all();
    };
  }

  private void move(CursorPair pair) {
    byte[] target = keys.any(random);
    Map.Entry<byte[], byte[]> entry;
    boolean found;
    boolean forward = true;
    switch (random.nextInt(12)) {
      case 0 -> {
        found = pair.cursor.first();
        entry = pair.expected.firstEntry();
      }
      case 1 -> {
        found = pair.cursor.last();
        entry = pair.expected.lastEntry();
        forward = false;
      }
      case 2 -> {
        found = pair.cursor.seek(target);
        entry = pair.expected.ceilingEntry(target);
      }
      case 3 -> {
        found = pair.cursor.seekBefore(target);
        entry = pair.expected.lowerEntry(target);
        forward = false;
      }
      case 4, 5, 6 -> {
        found = pair.cursor.previous();
        entry = before(pair);
        forward = false;
      }
      default -> {
        found = pair.cursor.next();
        entry = behind(pair);
      }
    }
    pair.fresh = false;
    pair.at = entry == null ? null : entry.getKey();
    pair.behindLast = entry == null && forward;
    assertThat(found).as(this::describe).isEqualTo(entry != null);
    assertThat(pair.cursor.isValid()).as(this::describe).isEqualTo(found);
    if (entry != null) {
      assertThat(pair.cursor.key()).as(this::describe).isEqualTo(entry.getKey());
      assertThat(pair.cursor.value()).as(this::describe).isEqualTo(entry.getValue());
      ByteBuf target2 = Unpooled.buffer();
      pair.cursor.copyKey(target2);
      pair.cursor.copyValue(target2);
      assertThat(target2.readableBytes())
          .as(this::describe)
          .isEqualTo(entry.getKey().length + pair.cursor.valueLength());
    }
  }

  private static Map.@Nullable Entry<byte[], byte[]> before(CursorPair pair) {
    if (pair.at != null) {
      return pair.expected.lowerEntry(pair.at);
    }
    return pair.fresh || pair.behindLast ? pair.expected.lastEntry() : null;
  }

  private static Map.@Nullable Entry<byte[], byte[]> behind(CursorPair pair) {
    if (pair.at != null) {
      return pair.expected.higherEntry(pair.at);
    }
    return pair.fresh || !pair.behindLast ? pair.expected.firstEntry() : null;
  }

  private void openSnapshot() {
    step = "open snapshot";
    if (snapshots.size() == MOST_SNAPSHOTS) {
      return;
    }
    SnapshotPair pair = new SnapshotPair(store.snapshot(), copyOfExpected(), new Touched());
    snapshots.add(pair);
    followers.add(pair.touched);
  }

  private Map<String, NavigableMap<byte[], byte[]>> copyOfExpected() {
    Map<String, NavigableMap<byte[], byte[]>> copy = new TreeMap<>();
    expected.forEach((name, map) -> copy.put(name, new TreeMap<>(map)));
    return copy;
  }

  /**
   * Opens the store to be read only, or once more, or closes one that was opened so. What was
   * written with {@code NONE} is not there, so it is flushed before.
   */
  private void readBeside() {
    int choice = random.nextInt(4);
    if (readers.size() == MOST_READERS || (choice == 0 && !readers.isEmpty())) {
      readers.remove(random.nextInt(readers.size())).reader.close();
      return;
    }
    store.flush();
    for (int left = random.nextInt(20); left > 0; left--) {
      String name = anyName();
      byte[] key = keys.any(random);
      byte[] value = anyValue();
      store.database(name).put(key, value, Durability.BUFFERED);
      nowHasPut(name, key, value);
    }
    Store reader =
        readers.isEmpty() || choice == 1
            ? TestStores.openReadOnly(directory, options, fileSystem, anyExtensions())
            : readers.get(random.nextInt(readers.size())).reader.refreshed();
    readers.add(new ReaderPair(reader, copyOfExpected()));
    ReaderPair any = readers.get(random.nextInt(readers.size()));
    compareAll(any.reader, any.expected);
    compareAll(reader, expected);
  }

  private void closeSnapshot() {
    step = "close snapshot";
    if (!snapshots.isEmpty()) {
      SnapshotPair closed = snapshots.remove(random.nextInt(snapshots.size()));
      followers.remove(closed.touched);
      closed.snapshot.close();
    }
  }

  private void getAtSnapshot() {
    step = "get at snapshot";
    if (snapshots.isEmpty()) {
      return;
    }
    SnapshotPair pair = snapshots.get(random.nextInt(snapshots.size()));
    pair.expected.forEach(
        (name, map) -> {
          if (expected.containsKey(name)) {
            byte[] key = keys.any(random);
            Database database = store.database(name);
            ReadOptions options = anyReadOptions().snapshot(pair.snapshot).build();
            assertThat(database.get(key, ReadOptions.at(pair.snapshot)))
                .as(this::describe)
                .isEqualTo(map.get(key));
            assertThat(database.get(key, options)).as(this::describe).isEqualTo(map.get(key));
            assertThat(database.contains(key, options))
                .as(this::describe)
                .isEqualTo(map.containsKey(key));
            assertThat(database.getAsync(key, options).join())
                .as(this::describe)
                .isEqualTo(map.get(key));
            List<byte[]> some = anyKeys();
            List<byte[]> values = database.multiGet(some, options);
            for (int i = 0; i < some.size(); i++) {
              assertThat(values.get(i)).as(this::describe).isEqualTo(map.get(some.get(i)));
            }
          }
        });
  }

  private void createOrDrop() {
    step = "create or drop";
    if (expected.size() > 3) {
      String name = anyName();
      if (!name.equals(Store.DEFAULT_DATABASE)) {
        closeCursors(name);
        // A name may come again with other content: what snapshots saw of the old one is gone.
        snapshots.forEach(pair -> pair.expected.remove(name));
        store.dropDatabase(name);
        expected.remove(name);
      }
    } else {
      String name = "db" + random.nextInt(6);
      if (!expected.containsKey(name)) {
        Database created = store.createDatabase(name, anyOptions());
        assertThat(created.name()).isEqualTo(name);
        expected.put(name, emptyMap());
      } else if (store.database(name).options().mergeOperator() == null) {
        Duration time = random.nextBoolean() ? anyTime() : null;
        store.alterDatabase(name, DatabaseOptions.builder().expireAfter(time).build());
      }
    }
    assertThat(store.databaseNames()).containsExactlyElementsOf(expected.keySet());
  }

  private void closeCursors(String database) {
    for (CursorPair pair : List.copyOf(cursors)) {
      if (pair.database.equals(database)) {
        pair.cursor.close();
        cursors.remove(pair);
      }
    }
  }

  private void reopen() {
    cursors.forEach(pair -> pair.cursor.close());
    cursors.clear();
    snapshots.forEach(pair -> pair.snapshot.close());
    snapshots.clear();
    followers.clear();
    store.close();
    store = open();
  }

  /** Takes a checkpoint and opens it: it holds the same, and so does the store. */
  private void checkpoint() {
    Path copy = directory.resolveSibling(directory.getFileName() + "-copy-" + steps);
    store.checkpoint(copy);
    try (Store opened = open(copy)) {
      assertThat(opened.databaseNames()).containsExactlyElementsOf(expected.keySet());
      compareAll(opened);
      opened.database().put(keys.any(random), anyValue()); // which is the copy's alone
      opened.database().compact();
    }
    compareAll();
  }

  private void compareAll() {
    compareAll(store);
    readers.forEach(pair -> compareAll(pair.reader, pair.expected));
  }

  private void compareAll(Store with) {
    compareAll(with, expected);
  }

  private void compareAll(Store with, Map<String, NavigableMap<byte[], byte[]>> content) {
    assertThat(with.databaseNames()).containsExactlyElementsOf(content.keySet());
    content.forEach(
        (name, map) -> {
          try (Cursor cursor = with.database(name).cursor()) {
            for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
              assertThat(cursor.next()).as(this::describe).isTrue();
              assertThat(cursor.key()).as(this::describe).isEqualTo(entry.getKey());
              assertThat(cursor.value()).as(this::describe).isEqualTo(entry.getValue());
            }
            assertThat(cursor.next()).as(this::describe).isFalse();
          }
        });
  }

  @Override
  public void close() {
    cursors.forEach(pair -> pair.cursor.close());
    snapshots.forEach(pair -> pair.snapshot.close());
    readers.forEach(pair -> pair.reader.close());
    store.close();
  }
}
