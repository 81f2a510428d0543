package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Batches and transactions over several databases, most of them with {@link Durability#NONE}, while
 * single databases are flushed in every way, created and dropped. The process is killed, or the
 * machine loses power, at moments of all calls to the disk; what is left is opened, by a writer and
 * by a reader. Each batch is there in all of its databases or in none; what was logged or flushed
 * is there; and a database that has an unlogged write has all that were made to it before.
 *
 * <p>A longer run: {@code -Dsifr.batches.seeds=1000}; another first seed: {@code
 * -Dsifr.batches.seed=…}. Threads of the store are real ones, so a seed gives the same steps but
 * not the same order of calls: a failure leaves its image under {@code target/crash-images}.
 */
@Tag("crash")
class UnloggedBatchesCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.batches.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.batches.seeds", SearchLength.of(6, 12));

  private static final Path DIRECTORY = Path.of("/store");
  private static final int STEPS = 80;
  private static final int MOST_DATABASES = 5;
  private static final int MOST_IMAGES = 50;

  @Test
  void eachBatchIsThereInAllOfItsDatabasesOrInNone() {
    long batches = 0;
    long images = 0;
    long partly = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Run run = new Run(seed);
      run.steps();
      run.checkImages();
      batches += run.batches.size();
      images += run.points.size();
      partly += run.imagesThatLackSome;
    }
    System.out.printf(
        "%d batches, %d images, %d of them without some batch, seeds from %d on%n",
        batches, images, partly, FIRST_SEED);
    assertThat(partly).isPositive();
  }

  /** What a batch does to a database that can be seen afterwards. */
  private enum Effect {
    PUT,
    MERGE,
    DELETE,
    DELETE_RANGE;

    private void addTo(WriteBatch batch, Database database, int number) {
      switch (this) {
        case PUT -> batch.put(database, key("new", number), value(number));
        case MERGE -> batch.merge(database, key("new", number), value(number));
        case DELETE -> batch.delete(database, key("old", number));
        case DELETE_RANGE -> batch.deleteRange(database, only("old", number));
      }
    }

    private void addTo(Transaction transaction, Database database, int number) {
      switch (this) {
        case PUT, MERGE -> transaction.put(database, key("new", number), value(number));
        case DELETE -> transaction.delete(database, key("old", number));
        case DELETE_RANGE -> transaction.deleteRange(database, only("old", number));
      }
    }

    private boolean isSeenIn(Database database, int number) {
      return switch (this) {
        case PUT, MERGE -> database.contains(key("new", number));
        case DELETE, DELETE_RANGE -> !database.contains(key("old", number));
      };
    }
  }

  private static byte[] key(String kind, int number) {
    return String.format("%s %04d", kind, number).getBytes(US_ASCII);
  }

  private static KeyRange only(String kind, int number) {
    return KeyRange.between(key(kind, number), key(kind, number + 1));
  }

  private static byte[] value(int number) {
    return new byte[1 + number * 37 % 400];
  }

  /**
   * One of the batches, in the order of writing.
   *
   * @param effects by database
   */
  private record Batch(int number, Map<String, Effect> effects, Durability durability) {}

  /**
   * A moment at which all may end.
   *
   * @param begun so many batches had begun
   * @param returned so many had returned
   * @param flushed so many were in trees for sure
   */
  private record Point(FrozenDisk disk, String where, int begun, int returned, int flushed) {}

  private static final class Run {
    private final long seed;
    private final Random random;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final StoreOptions options;
    private final List<Batch> batches = new ArrayList<>();
    private final List<String> databases = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            failures.add(event.cause());
          }
        };
    private Store store;
    private int created;
    private int filled;
    private int imagesThatLackSome;

    // Written by the thread of the steps, read by all that call the disk.
    private volatile int begun;
    private volatile int returned;
    private volatile int flushed;

    // Guarded by the disk.
    private final Random choice;
    private final List<Point> points = new ArrayList<>();
    private int seen;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.choice = new Random(~seed);
      this.options =
          new StepDrawing(MOST_DATABASES)
              .builder(seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN, random)
              .build();
      this.store = open();
    }

    private Store open() {
      Tuning tuning = Tuning.DEFAULT.withImmutableMemtables(1 + random.nextInt(4));
      return TestStores.open(DIRECTORY, options, tuning, disk.fileSystem(), listener);
    }

    void steps() {
      try {
        create();
        create();
        disk.watch(this::look);
        for (int i = 0; i < STEPS; i++) {
          step();
        }
      } finally {
        store.close();
      }
      assertThat(failures).isEmpty();
      disk.watch((call, moment) -> {});
    }

    private void step() {
      int choice = random.nextInt(100);
      if (choice < 60) {
        write();
      } else if (choice < 68) {
        fill();
      } else if (choice < 74) {
        any().compact();
      } else if (choice < 76) {
        any().compact(only("new", random.nextInt(batches.size() + 1)));
      } else if (choice < 80) {
        ingest();
      } else if (choice < 83) {
        load();
      } else if (choice < 85) {
        store.flush();
        flushed = returned;
      } else if (choice < 87) {
        store.awaitIdle();
      } else if (choice < 88) {
        store.sync();
      } else if (choice < 90) {
        store.close();
        flushed = returned;
        store = open();
      } else if (choice < 96 && databases.size() < MOST_DATABASES) {
        create();
      } else if (databases.size() > 2) {
        store.dropDatabase(databases.remove(random.nextInt(databases.size())));
      }
    }

    private Database any() {
      return store.database(databases.get(random.nextInt(databases.size())));
    }

    /** With the keys that batches will delete. */
    private void create() {
      String name = "database " + created++;
      Database database =
          store.createDatabase(
              name, DatabaseOptions.builder().mergeOperator(MergeOperators.MAXIMUM).build());
      WriteBatch keys = new WriteBatch();
      for (int number = batches.size(); number < STEPS; number++) {
        keys.put(database, key("old", number), new byte[1]);
      }
      store.write(keys, WriteOptions.SYNC);
      databases.add(name);
    }

    private void write() {
      int number = batches.size();
      Map<String, Effect> effects = new TreeMap<>();
      List<Effect> all = List.of(Effect.values());
      for (String name : databases) {
        if (random.nextInt(databases.size()) < 2) {
          effects.put(name, all.get(random.nextInt(all.size())));
        }
      }
      int chosen = random.nextInt(10);
      Durability durability =
          chosen == 0 ? Durability.SYNC : chosen < 3 ? Durability.BUFFERED : Durability.NONE;
      batches.add(new Batch(number, effects, durability));
      begun = number + 1;
      if (random.nextInt(3) == 0) {
        commit(number, effects, durability);
      } else {
        WriteBatch batch = new WriteBatch();
        effects.forEach((name, effect) -> effect.addTo(batch, store.database(name), number));
        store.write(batch, WriteOptions.of(durability));
      }
      returned = number + 1;
    }

    private void commit(int number, Map<String, Effect> effects, Durability durability) {
      try (Transaction transaction = store.beginTransaction()) {
        effects.forEach((name, effect) -> effect.addTo(transaction, store.database(name), number));
        transaction.commit(WriteOptions.of(durability));
      } catch (ConflictException e) {
        throw new AssertionError("nobody else writes", e);
      }
    }

    private void fill() {
      Database database = any();
      for (int i = random.nextInt(60); i > 0; i--) {
        database.put(key("other", filled++ % 50), value(filled), WriteOptions.UNLOGGED);
      }
    }

    private void ingest() {
      Path files = Path.of("/files-" + filled++);
      TestStores.makeDirectory(store, files);
      try (SstFileWriter writer = TestStores.writer(store, files.resolve("file"))) {
        writer.put(key("other", filled), value(filled));
        store.ingest(Map.of(any(), writer.finish().files()), IngestOptions.DEFAULT);
      }
    }

    private void load() {
      try (BulkLoader loader = any().bulkLoader().memoryBytes(1 << 16).open()) {
        loader.put(key("other", filled++), value(filled));
        loader.finish();
      }
    }

    /** Called under the disk's monitor. */
    private void look(Call call, Moment moment) {
      if (!call.changes()) {
        return;
      }
      int place = points.size() < MOST_IMAGES ? points.size() : choice.nextInt(seen + 1);
      seen++;
      if (place >= MOST_IMAGES) {
        return;
      }
      // In this order: what has returned now is on the disk when it is frozen a moment later, and
      // what is on the disk then has begun.
      int flushedNow = flushed;
      int returnedNow = returned;
      FrozenDisk frozen = disk.freeze();
      Point point = new Point(frozen, moment + " " + call, begun, returnedNow, flushedNow);
      if (place < points.size()) {
        points.set(place, point);
      } else {
        points.add(point);
      }
    }

    void checkImages() {
      for (Point point : points) {
        boolean killed = choice.nextInt(3) > 0;
        CrashDisk image = killed ? point.disk().kill() : point.disk().crash(choice);
        FrozenDisk before = image.freeze();
        try {
          try (Store reader = TestStores.openReadOnly(DIRECTORY, options, image.fileSystem())) {
            check(reader, point, killed);
          }
          LeakCountingFileSystem files = new LeakCountingFileSystem(image.fileSystem());
          try (Store opened = TestStores.open(DIRECTORY, options, files, listener)) {
            imagesThatLackSome += check(opened, point, killed) ? 1 : 0;
          }
          files.assertNothingOpen();
          StoreFileSystem closed = image.fileSystem();
          assertThat(TestChecks.run(closed, DIRECTORY).findings()).isEmpty();
        } catch (RuntimeException | Error e) {
          Path saved = Path.of("target", "crash-images", "image-" + System.nanoTime());
          before.kill().copyTo(saved);
          String death = killed ? "killed " : "power lost ";
          throw new AssertionError(
              "seed " + seed + ", " + options + ", " + death + point + "; the image is in " + saved,
              e);
        }
      }
    }

    /** Returns whether some batch is missing. */
    private boolean check(Store opened, Point point, boolean killed) {
      List<String> names = opened.databaseNames();
      Map<String, Integer> firstMissing = new TreeMap<>();
      for (Batch batch : batches.subList(0, point.begun())) {
        Map<String, Boolean> seen = new TreeMap<>();
        batch.effects.forEach(
            (name, effect) -> {
              if (names.contains(name)) {
                seen.put(name, effect.isSeenIn(opened.database(name), batch.number));
              }
            });
        assertThat(seen.values().stream().distinct().count())
            .as("%s: %s", batch, seen)
            .isLessThanOrEqualTo(1);
        if (seen.containsValue(true) && batch.durability == Durability.NONE) {
          assertThat(firstMissing)
              .as("unlogged and there: %s", batch)
              .doesNotContainKeys(seen.keySet().toArray(String[]::new));
        }
        if (seen.containsValue(false)) {
          assertThat(mustBeThere(batch, point, killed)).as("lost: %s", batch).isFalse();
          seen.keySet().forEach(name -> firstMissing.putIfAbsent(name, batch.number));
        }
      }
      return !firstMissing.isEmpty();
    }

    private static boolean mustBeThere(Batch batch, Point point, boolean killed) {
      if (batch.number < point.flushed()) {
        return true;
      }
      return batch.number < point.returned()
          && (batch.durability == Durability.SYNC
              || (killed && batch.durability == Durability.BUFFERED));
    }
  }
}
