package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BufferCursor;
import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestRanges;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.Isolation;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Idle;
import io.sifr.internal.compaction.pick.Reads;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.spi.MergeOperator;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.DrawnNames;
import io.sifr.testing.Futures;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store and what it should hold. Every step does one random thing to both and compares. Options
 * are so small that a few hundred steps pass through flush, merge, move and recovery.
 *
 * <p>The disk may be full now and then. What is refused because of that has changed nothing; the
 * store is read, closed and opened all the same, and goes on when there is space.
 */
final class StoreModel implements AutoCloseable {

  private static final int MOST_SNAPSHOTS = 4;
  private static final int MOST_CURSORS = 3;
  private static final int MOST_READERS = 3;

  // Of a disk that is full now and then.

  private static final int SPACE_CHANGES_ONE_IN = 40;
  private static final int REOPENED_ONE_IN = 60;
  private static final int COMPARED_ONE_IN = 4;

  private final long seed;
  private final Random random;
  private final Path directory;
  private final Draws draws;
  private final StoreOptions options;
  private final BiFunction<StoreOptions, Random, CompactionPicker> policies;

  /** Full now and then; null if it never is. */
  private final @Nullable CrashDisk filling;

  private final StoreFileSystem fileSystem;

  /** What the store has told of the background. */
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private final Map<String, NavigableMap<byte[], byte[]>> expected = new TreeMap<>();
  private final List<SnapshotPair> snapshots = new ArrayList<>();

  /** Receive the writes. */
  private final List<Touched> followers = new ArrayList<>();

  private final List<ModelCursor> cursors = new ArrayList<>();
  private final List<CompletableFuture<Void>> inFlight = new ArrayList<>();
  private final Lifetimes lifetimes = new Lifetimes();
  private long now = 1_700_000_000_000L;
  private Store store;
  private long steps;
  private long refused;
  private long openings;
  private int ingested;
  private String step = "open";

  /** Read only, beside the store. */
  private final List<ReaderPair> readers = new ArrayList<>();

  private record ReaderPair(Store reader, Map<String, NavigableMap<byte[], byte[]>> expected) {}

  private record SnapshotPair(
      Snapshot snapshot, Map<String, NavigableMap<byte[], byte[]>> expected, Touched touched) {}

  /**
   * @param policies gives the compaction policy of each opening
   */
  StoreModel(
      long seed,
      Path directory,
      ReadMode readMode,
      boolean hasFilters,
      BiFunction<StoreOptions, Random, CompactionPicker> policies) {
    this(seed, directory, null, readMode, hasFilters, policies);
  }

  /**
   * On a disk that is full now and then.
   *
   * @param directory whose parent is on that disk
   * @param filling null for one that never is
   */
  StoreModel(
      long seed,
      Path directory,
      @Nullable CrashDisk filling,
      ReadMode readMode,
      boolean hasFilters,
      BiFunction<StoreOptions, Random, CompactionPicker> policies) {
    this.filling = filling;
    this.fileSystem =
        filling == null ? new NoSyncFileSystem(new DiskFileSystem()) : filling.fileSystem();
    this.policies = policies;
    this.seed = seed;
    this.random = new Random(seed);
    this.directory = directory;
    this.draws = new Draws(random, filling == null || seed % 3 == 0);
    this.options = draws.storeOptions(readMode, hasFilters);
    this.store = open();
    store.alterDatabase(Store.DEFAULT_DATABASE, draws.databaseOptions());
    expected.put(Store.DEFAULT_DATABASE, SortedMaps.empty());
  }

  private Store open() {
    return open(directory);
  }

  private Store open(Path where) {
    openings++;
    return TestStores.open(where, options, fileSystem, new Listener(), anyExtensions());
  }

  private Extensions anyExtensions() {
    Extensions extensions =
        new Extensions(
            EntryKinds.STANDARD,
            TestCodecs.inSmallParts(TestCodecs.any(random)),
            PolicyRules.withReads(
                policies.apply(options, random), random.nextInt(3) == 0 ? List.of() : readRules()),
            new Extensions.Operators(Draws.OPERATORS, false),
            draws.tuning(),
            InstantSource.system());
    return extensions.with(() -> Instant.ofEpochMilli(now));
  }

  /** Each read that is counted pays for a merge, and now and then a store is idle at once. */
  private List<Rule> readRules() {
    Shape shape = draws.shape();
    Reads reads = new Reads(1e-9, shape);
    return random.nextInt(3) == 0 ? List.of(reads, new Idle(shape, 0)) : List.of(reads);
  }

  /** Seed, options and what was being done, for the message of a failure. */
  String describe() {
    return "seed " + seed + ", step " + steps + " (" + step + "), " + options;
  }

  void run(long count) {
    for (long i = 0; i < count; i++) {
      steps++;
      if (filling != null && random.nextInt(SPACE_CHANGES_ONE_IN) == 0) {
        named("space", () -> changeSpace(filling));
      } else if (filling != null && random.nextInt(REOPENED_ONE_IN) == 0) {
        named("reopen", this::reopen);
      } else {
        oneStep();
      }
    }
    if (filling != null) {
      named("space at last", () -> goOnWithSpace(filling));
    }
    assertThat(failures)
        .as(this::describe)
        .allMatch(e -> filling != null && e instanceof StoreFullException);
    step = "compare all";
    compareAll();
  }

  private void oneStep() {
    int choice = random.nextInt(1000);
    if (choice < 340) {
      taken(this::put);
    } else if (choice < 420) {
      taken(this::delete);
    } else if (choice < 440) {
      named("change", () -> taken(this::change));
    } else if (choice < 445) {
      taken(this::ingest);
    } else if (choice < 448) {
      taken(this::load);
    } else if (choice < 480) {
      taken(this::batch);
    } else if (choice < 490) {
      named("batch with conditions", () -> taken(this::batchWithConditions));
    } else if (choice < 500) {
      named("transaction", this::transaction);
    } else if (choice < 600) {
      taken(this::deleteRange);
    } else if (choice < 735) {
      get();
    } else if (choice < 740) {
      named("read beside", this::readBeside);
    } else if (choice < 756) {
      multiGet();
    } else if (choice < 760) {
      named("time passes", this::timePasses);
    } else if (choice < 820) {
      shortIteration();
    } else if (choice < 900) {
      moveOpenCursor();
    } else if (choice < 920) {
      openSnapshot();
    } else if (choice < 935) {
      closeSnapshot();
    } else if (choice < 970) {
      getAtSnapshot();
    } else if (choice < 980) {
      named("flush", () -> taken(store::flush));
    } else if (choice < 983) {
      named("get much", this::getMuch);
    } else if (choice < 985) {
      named("await idle", () -> taken(store::awaitIdle));
    } else if (choice < 987) {
      named("compact", () -> taken(anyDatabase()::compact));
    } else if (choice < 989) {
      named("compact a range", () -> taken(() -> anyDatabase().compact(draws.range())));
    } else if (choice < 992) {
      taken(this::createOrDrop);
    } else if (choice < 995) {
      named("sync", () -> taken(store::sync));
    } else if (choice < 997) {
      named("reopen", this::reopen);
    } else if (choice < 998) {
      named("checkpoint", this::checkpoint);
    } else {
      named("compare all", this::compareAll);
    }
  }

  /**
   * Does something for which the disk may lack space: then nothing has changed.
   *
   * @return whether it was done
   */
  @CanIgnoreReturnValue
  private boolean taken(Runnable action) {
    try {
      action.run();
      return true;
    } catch (StoreFullException e) {
      if (filling == null) {
        throw e;
      }
      refused++;
      if (random.nextInt(COMPARED_ONE_IN) == 0) {
        compareAll(store);
      }
      return false;
    }
  }

  /** Others take space, all of it now and then, or give it back. */
  private void changeSpace(CrashDisk disk) {
    switch (random.nextInt(4)) {
      case 0 -> disk.setCapacity(disk.usedBytes());
      case 1 -> disk.setCapacity(disk.usedBytes() + random.nextInt(64 << 10));
      case 2 -> disk.setCapacity(disk.usedBytes() + random.nextInt(1 << 20));
      default -> goOnWithSpace(disk);
    }
  }

  /** With space everything is done at once that was refused. */
  private void goOnWithSpace(CrashDisk disk) {
    disk.setCapacity(Long.MAX_VALUE);
    store
        .flush(); // a write might still meet the failure of before, but no call that waits for work
    put();
    store.awaitIdle();
    anyDatabase().compact();
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
    byte[] key = draws.key();
    byte[] value = draws.value();
    int choice = random.nextInt(10);
    Database database = store.database(name);
    if (choice < 3 && database.options().mergeOperator() != null) {
      database.merge(key, value, WriteOptions.of(draws.durability()));
      nowHas(name, key, merged(name, key, value));
    } else if (choice == 3) {
      database
          .byteBufs()
          .put(
              Unpooled.wrappedBuffer(key),
              Unpooled.wrappedBuffer(value),
              WriteOptions.of(draws.durability()));
      nowHasPut(name, key, value);
    } else if (choice == 4) {
      database.put(
          key, value, WriteOptions.builder().neverExpire().durability(draws.durability()).build());
      nowHas(name, key, value);
    } else if (choice == 5) {
      Duration time = draws.time();
      database.put(
          key,
          value,
          WriteOptions.builder().expireAfter(time).durability(draws.durability()).build());
      nowHas(name, key, value, time);
    } else if (choice == 6) {
      putAsStream(database, key, value);
    } else if (choice == 7) {
      made(database.putAsync(key, value, WriteOptions.of(draws.durability())));
      nowHasPut(name, key, value);
    } else {
      database.put(key, value, WriteOptions.of(draws.durability()));
      nowHasPut(name, key, value);
    }
  }

  /** What is not refused is seen; when it is durable shows later. */
  private void made(CompletableFuture<Void> write) {
    inFlight.add(Futures.notFailed(write));
    if (random.nextInt(4) == 0) {
      Futures.await(write);
    }
  }

  private void closeStore() {
    store.close();
    assertThat(inFlight)
        .as(this::describe)
        .allMatch(write -> write.isDone() && !write.isCompletedExceptionally());
    inFlight.clear();
  }

  /** From a stream, which may end too early. */
  private void putAsStream(Database database, byte[] key, byte[] value) {
    int length = value.length + (random.nextInt(4) == 0 ? 1 : 0);
    try {
      InputStream in = new ByteArrayInputStream(value);
      database.put(key, length, in, WriteOptions.of(draws.durability()));
    } catch (IOException e) {
      assertThat(length).isGreaterThan(value.length);
      return;
    }
    assertThat(length).isEqualTo(value.length);
    nowHasPut(database.name(), key, value);
  }

  /** What is due has gone, for snapshots and cursors as well. */
  private void timePasses() {
    now += random.nextInt(Draws.MOST_MILLIS / 2);
    expected.values().forEach(map -> lifetimes.expire(now, map));
    snapshots.forEach(pair -> pair.expected.values().forEach(map -> lifetimes.expire(now, map)));
    readers.forEach(pair -> pair.expected.values().forEach(map -> lifetimes.expire(now, map)));
    cursors.forEach(cursor -> lifetimes.expire(now, cursor.content()));
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
    byte[] key = draws.key();
    byte[] before = model(name).get(key);
    byte[] value = draws.value();
    switch (random.nextInt(5)) {
      case 0 -> {
        assertThat(database.putIfAbsent(key, value, WriteOptions.of(draws.durability())))
            .as(this::describe)
            .isEqualTo(before);
        if (before == null) {
          nowHasPut(name, key, value);
        }
      }
      case 1 -> {
        assertThat(database.getAndPut(key, value, WriteOptions.of(draws.durability())))
            .as(this::describe)
            .isEqualTo(before);
        nowHasPut(name, key, value);
      }
      case 2 -> {
        assertThat(database.getAndDelete(key, WriteOptions.of(draws.durability())))
            .as(this::describe)
            .isEqualTo(before);
        if (before != null) {
          nowLacks(name, key);
        }
      }
      default -> {
        byte[] expected = random.nextInt(4) == 0 ? draws.value() : before;
        byte[] next = random.nextInt(4) == 0 ? null : value;
        boolean matches = Arrays.equals(expected, before);
        assertThat(database.compareAndSet(key, expected, next, WriteOptions.of(draws.durability())))
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
      byte[] key = draws.key();
      byte[] value = model(name).get(key);
      SnapshotPair since =
          snapshots.isEmpty() ? null : snapshots.get(random.nextInt(snapshots.size()));
      if (since != null && since.expected.containsKey(name) && random.nextInt(3) > 0) {
        if (random.nextBoolean()) {
          batch.requireUnchanged(database, key, since.snapshot);
          holds &= !since.touched.has(name, key);
          surelyHoldsNot |= isSurelyTouched(since.touched, since.expected, name, only(key));
        } else {
          KeyRange range = draws.narrowRange();
          batch.requireUnchanged(database, range, since.snapshot);
          holds &= !since.touched.hasOneIn(name, range);
          surelyHoldsNot |= isSurelyTouched(since.touched, since.expected, name, range);
        }
      } else if (random.nextInt(4) == 0) {
        byte[] other = draws.value();
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
    byte[] key = draws.key();
    byte[] value = draws.value();
    batch.put(store.database(name), key, value);
    boolean isWritten = true;
    try {
      store.write(batch, WriteOptions.of(draws.durability()));
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
    NavigableMap<byte[], byte[]> there =
        SortedMaps.part(then.getOrDefault(name, SortedMaps.empty()), range);
    there.putAll(SortedMaps.part(model(name), range));
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
    Map<String, NavigableMap<byte[], byte[]>> then = SortedMaps.copy(expected);
    Touched others = new Touched();
    followers.add(others);
    TransactionOptions options = TransactionOptions.builder().isolation(isolation).build();
    try (Transaction transaction = store.beginTransaction(options)) {
      ModelTransaction mine =
          new ModelTransaction(transaction, SortedMaps.copy(expected), draws, this::describe);
      int oneOfOthersIn = 1 + random.nextInt(30);
      for (int i = random.nextInt(25); i > 0; i--) {
        if (random.nextInt(oneOfOthersIn) == 0) {
          writeOfOthers();
        }
        mine.step(anyDatabase());
      }
      if (random.nextInt(8) == 0) {
        return;
      }
      boolean isSerializable = isolation == Isolation.SERIALIZABLE;
      boolean readsCount = isSerializable && mine.written().hasKeys();
      boolean mustFail =
          surelyMeet(others, then, mine.written())
              || (readsCount && surelyMeet(others, then, mine.read()));
      // A cursor reads also what it passes.
      boolean mayFail = isSerializable || others.meets(mine.written());
      taken(() -> commit(transaction, mine, others, mustFail, mayFail));
    } finally {
      followers.remove(others);
    }
  }

  private void writeOfOthers() {
    switch (random.nextInt(5)) {
      case 0 -> taken(this::delete);
      case 1 -> taken(this::batch);
      case 2 -> taken(this::deleteRange);
      case 3 -> taken(store::flush);
      default -> taken(this::put);
    }
    step = "transaction";
  }

  private void commit(
      Transaction transaction,
      ModelTransaction mine,
      Touched others,
      boolean mustFail,
      boolean mayFail) {
    try {
      transaction.commit(WriteOptions.of(draws.durability()));
    } catch (ConflictException e) {
      assertThat(mustFail || mayFail).as(this::describe).isTrue();
      assertThat(others.has(e.database(), e.key())).as(this::describe).isTrue();
      return;
    }
    assertThat(mustFail).as(this::describe).isFalse();
    mine.written()
        .replay(
            (name, key) -> {
              byte[] value = mine.content(name).get(key);
              if (value == null) {
                nowLacks(name, key);
              } else {
                nowHasPut(name, key, value);
              }
            },
            (name, range) -> {
              nowLacks(name, range);
              SortedMaps.part(mine.content(name), range)
                  .forEach((key, value) -> nowHasPut(name, key, value));
            });
  }

  private byte[] merged(String name, byte[] key, byte[] operand) {
    String given = store.database(name).options().mergeOperator();
    MergeOperator operator =
        Draws.OPERATORS.stream()
            .filter(each -> each.name().equals(given))
            .findFirst()
            .orElseThrow();
    return lifetimes.merged(
        model(name).get(key), existing -> operator.merge(key, existing, operand));
  }

  private void delete() {
    step = "delete";
    String name = anyName();
    byte[] key = draws.key();
    store.database(name).delete(key, WriteOptions.of(draws.durability()));
    nowLacks(name, key);
  }

  private void deleteRange() {
    step = "delete range";
    String name = anyName();
    KeyRange range = draws.rangeToDelete();
    store.database(name).deleteRange(range, WriteOptions.of(draws.durability()));
    nowLacks(name, range);
  }

  private void batch() {
    step = "batch";
    WriteBatch batch = new WriteBatch();
    List<Runnable> changes = new ArrayList<>();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String name = anyName();
      byte[] key = draws.key();
      if (random.nextInt(10) == 0) {
        KeyRange range = draws.narrowRange();
        batch.deleteRange(store.database(name), range);
        changes.add(() -> nowLacks(name, range));
      } else if (random.nextInt(3) == 0) {
        batch.delete(store.database(name), key);
        changes.add(() -> nowLacks(name, key));
      } else if (random.nextInt(6) == 0) {
        byte[] value = draws.value();
        Duration time = draws.time();
        batch.put(store.database(name), key, value, time);
        changes.add(() -> nowHas(name, key, value, time));
      } else if (random.nextInt(3) == 0 && store.database(name).options().mergeOperator() != null) {
        byte[] operand = draws.value();
        batch.merge(store.database(name), key, operand);
        changes.add(() -> nowHas(name, key, merged(name, key, operand)));
      } else {
        byte[] value = draws.value();
        batch.put(store.database(name), key, value);
        changes.add(() -> nowHasPut(name, key, value));
      }
    }
    WriteOptions options = WriteOptions.of(draws.durability());
    if (random.nextInt(3) == 0) {
      made(store.writeAsync(batch, options));
    } else {
      store.write(batch, options);
    }
    changes.forEach(Runnable::run);
  }

  /** Files of several databases, and snapshots and cursors that do not see them. */
  private void ingest() {
    step = "ingest";
    Map<Database, List<Path>> files = new HashMap<>();
    List<Runnable> changes = new ArrayList<>();
    List<Path> made = new ArrayList<>();
    try {
      writeFiles(files, changes, made);
      IngestOptions options =
          IngestOptions.builder()
              .files(random.nextBoolean() ? IngestFiles.MOVE : IngestFiles.COPY)
              .verify(random.nextBoolean())
              .build();
      store.ingest(files, options);
    } finally {
      made.forEach(fileSystem::delete);
    }
    changes.forEach(Runnable::run);
  }

  private void writeFiles(
      Map<Database, List<Path>> files, List<Runnable> changes, List<Path> made) {
    for (String name : new TreeSet<>(List.of(anyName(), anyName()))) {
      NavigableMap<byte[], byte[]> some = SortedMaps.empty();
      draws.keys().forEach(key -> some.put(key, draws.value()));
      if (some.isEmpty()) {
        continue;
      }
      Path file = directory.resolveSibling(directory.getFileName() + "-file-" + ingested++);
      made.add(file);
      List<KeyRange> ranges = new ArrayList<>();
      for (int i = random.nextInt(6) - 2; i > 0; i--) {
        ranges.add(draws.rangeToDelete());
      }
      // Wherever they are in the file, its entries are newer.
      ranges.forEach(range -> changes.add(() -> nowLacks(name, range)));
      try (SstFileWriter writer = TestStores.writer(store, file)) {
        TestRanges.append(
            writer,
            ranges,
            some.keySet(),
            key -> {
              byte[] value = some.get(key);
              if (value == null || value.length % 3 == 0) {
                writer.delete(key);
                changes.add(() -> nowLacks(name, key));
              } else {
                writer.put(key, value);
                changes.add(() -> nowHas(name, key, value));
              }
            });
        files.put(store.database(name), writer.finish().files());
      }
    }
  }

  private void load() {
    step = "load";
    String name = anyName();
    List<Runnable> changes = new ArrayList<>();
    try (BulkLoader loader =
        store
            .database(name)
            .bulkLoader()
            .memoryBytes(1 << 16)
            .threads(1 + random.nextInt(3))
            .open()) {
      for (int i = random.nextInt(1000); i > 0; i--) {
        byte[] key = draws.key();
        byte[] value = draws.value();
        if (value.length % 5 == 0) {
          loader.delete(key);
          changes.add(() -> nowLacks(name, key));
        } else {
          loader.put(key, value);
          changes.add(() -> nowHasPut(name, key, value));
        }
      }
      loader.finish();
    }
    changes.forEach(Runnable::run);
  }

  private void get() {
    step = "get";
    String name = anyName();
    byte[] key = draws.key();
    byte[] value = model(name).get(key);
    Database database = store.database(name);
    assertThat(database.get(key)).as(this::describe).isEqualTo(value);
    assertThat(database.contains(key)).as(this::describe).isEqualTo(value != null);
    ReadOptions options = draws.readOptions().build();
    assertThat(database.get(key, options)).as(this::describe).isEqualTo(value);
    assertThat(database.contains(key, options)).as(this::describe).isEqualTo(value != null);
    assertThat(database.getAsync(key, options).join()).as(this::describe).isEqualTo(value);
    ByteBuf target = Unpooled.buffer();
    ByteBuf given = Unpooled.wrappedBuffer(key);
    assertThat(database.byteBufs().get(given, target))
        .as(this::describe)
        .isEqualTo(value == null ? -1 : value.length);
    if (value != null) {
      assertThat(bytes(target)).as(this::describe).isEqualTo(value);
      byte[][] seen = new byte[1][];
      assertThat(database.byteBufs().read(given, view -> seen[0] = bytes(view))).isTrue();
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
    List<byte[]> some = draws.keys();
    List<byte[]> values = database.multiGet(some, draws.readOptions().build());
    assertThat(values).as(this::describe).hasSameSizeAs(some);
    for (int i = 0; i < some.size(); i++) {
      assertThat(values.get(i)).as(this::describe).isEqualTo(model(name).get(some.get(i)));
    }
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }

  private void shortIteration() {
    step = "short iteration";
    try (ModelCursor cursor = openCursor()) {
      int moves = random.nextInt(30);
      for (int i = 0; i < moves; i++) {
        cursor.move(draws);
      }
    }
  }

  private void moveOpenCursor() {
    step = "move cursor";
    if (cursors.size() < MOST_CURSORS && random.nextInt(4) == 0) {
      cursors.add(openCursor());
    } else if (!cursors.isEmpty()) {
      int index = random.nextInt(cursors.size());
      if (random.nextInt(20) == 0) {
        cursors.remove(index).close();
      } else {
        ModelCursor cursor = cursors.get(index);
        NavigableMap<byte[], byte[]> present = expected.get(cursor.database());
        if (present != null && random.nextInt(4) == 0) {
          cursor.refresh(present);
        }
        for (int i = random.nextInt(8); i >= 0; i--) {
          cursor.move(draws);
        }
      }
    }
  }

  private ModelCursor openCursor() {
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
    KeyRange range = draws.range();
    NavigableMap<byte[], byte[]> part = SortedMaps.part(map, range);
    Database database = store.database(name);
    ReadOptions.Builder options = draws.readOptions();
    if (snapshot != null) {
      options.snapshot(snapshot.snapshot);
    }
    BufferCursor<ByteBuf> cursor = database.byteBufs().cursor(range, options.build());
    return new ModelCursor(name, cursor, range, atSnapshot, part, this::describe);
  }

  private void openSnapshot() {
    step = "open snapshot";
    if (snapshots.size() == MOST_SNAPSHOTS) {
      return;
    }
    SnapshotPair pair =
        new SnapshotPair(store.snapshot(), SortedMaps.copy(expected), new Touched());
    snapshots.add(pair);
    followers.add(pair.touched);
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
    if (!taken(store::flush) && draws.hasUnlogged()) {
      return;
    }
    for (int left = random.nextInt(20); left > 0; left--) {
      String name = anyName();
      byte[] key = draws.key();
      byte[] value = draws.value();
      taken(
          () -> {
            store.database(name).put(key, value, WriteOptions.BUFFERED);
            nowHasPut(name, key, value);
          });
    }
    Store reader =
        readers.isEmpty() || choice == 1
            ? TestStores.openReadOnly(directory, options, fileSystem, anyExtensions())
            : readers.get(random.nextInt(readers.size())).reader.refreshed();
    readers.add(new ReaderPair(reader, SortedMaps.copy(expected)));
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
            byte[] key = draws.key();
            Database database = store.database(name);
            ReadOptions options = draws.readOptions().snapshot(pair.snapshot).build();
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
            List<byte[]> some = draws.keys();
            List<byte[]> values = database.multiGet(some, options);
            for (int i = 0; i < some.size(); i++) {
              assertThat(values.get(i)).as(this::describe).isEqualTo(map.get(some.get(i)));
            }
          }
        });
  }

  private void createOrDrop() {
    step = "create or drop";
    refuseNames();
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
      String name = DrawnNames.allowed(random, 6);
      if (!expected.containsKey(name)) {
        Database created = store.createDatabase(name, draws.databaseOptions());
        assertThat(created.name()).isEqualTo(name);
        expected.put(name, SortedMaps.empty());
      } else if (store.database(name).options().mergeOperator() == null) {
        Duration time = random.nextBoolean() ? draws.time() : null;
        store.alterDatabase(
            name,
            DatabaseOptions.builder()
                .expireAfter(time)
                .separateValuesFrom(draws.separateValuesFrom())
                .filterPrefix(draws.filterPrefix())
                .build());
      }
    }
    assertThat(store.databaseNames()).containsExactlyElementsOf(expected.keySet());
  }

  /** What is refused changes nothing, and the store goes on. */
  private void refuseNames() {
    String name = DrawnNames.refused(random);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> store.createDatabase(name, DatabaseOptions.DEFAULT));
    assertThatIllegalArgumentException().isThrownBy(() -> store.openOrCreateDatabase(name));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DatabaseOptions.builder().mergeOperator(name));
  }

  private void closeCursors(String database) {
    for (ModelCursor cursor : List.copyOf(cursors)) {
      if (cursor.database().equals(database)) {
        cursor.close();
        cursors.remove(cursor);
      }
    }
  }

  private void reopen() {
    // What is in no log and cannot be flushed would be lost, and closing says so.
    if (filling != null && draws.hasUnlogged() && !taken(store::flush)) {
      return;
    }
    cursors.forEach(ModelCursor::close);
    cursors.clear();
    snapshots.forEach(pair -> pair.snapshot.close());
    snapshots.clear();
    followers.clear();
    closeStore();
    store = open();
  }

  /** Takes a checkpoint and opens it: it holds the same, and so does the store. */
  private void checkpoint() {
    Path copy = directory.resolveSibling(directory.getFileName() + "-copy-" + steps);
    if (taken(() -> store.checkpoint(copy))) {
      try (Store opened = open(copy)) {
        assertThat(opened.databaseNames()).containsExactlyElementsOf(expected.keySet());
        compareAll(opened);
        taken(() -> opened.database().put(draws.key(), draws.value())); // the copy's alone
        taken(() -> opened.database().compact());
      }
    }
    compareAll();
    if (filling != null) {
      giveBackSpaceOf(copy);
    }
  }

  private void giveBackSpaceOf(Path copy) {
    if (fileSystem.exists(copy)) {
      fileSystem.list(copy).forEach(name -> fileSystem.delete(copy.resolve(name)));
    }
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
    cursors.forEach(ModelCursor::close);
    snapshots.forEach(pair -> pair.snapshot.close());
    readers.forEach(pair -> pair.reader.close());
    closeStore();
  }

  /** How often something was refused for lack of space. */
  long refused() {
    return refused;
  }

  /** How often a store was opened. */
  long openings() {
    return openings;
  }

  private final class Listener implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      failures.add(event.cause());
    }
  }
}
