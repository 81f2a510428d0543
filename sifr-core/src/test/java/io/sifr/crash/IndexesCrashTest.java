package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.Index;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IndexOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.DuplicateIndexKeyException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Operators;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.SearchLength;
import io.sifr.testing.TestExtractors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A database with indexes, written to in every way and with every durability, whose indexes are
 * read, cleaned, added, removed and built again. The process is killed, or the machine loses power,
 * at moments of all calls to the disk. In what is opened then each index finds all that there is,
 * and nothing else, and no two entries have one key of the unique index.
 *
 * <p>A longer run: {@code -Dsifr.indexes.seeds=1000}; another first seed: {@code
 * -Dsifr.indexes.seed=…}. Threads of the store are real ones, so a seed gives the same steps but
 * not the same order of calls: a failure leaves its image under {@code target/crash-images}.
 */
@Tag("crash")
class IndexesCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.indexes.seed", 1);
  private static final int SEEDS =
      Integer.getInteger("sifr.indexes.seeds", SearchLength.of(10, 30));

  private static final Path DIRECTORY = Path.of("/store");
  private static final String NAME = "indexed";
  private static final int STEPS = 120;
  private static final int KEYS = 60;
  private static final int MOST_IMAGES = 50;

  @Test
  void indexesAgreeWithWhatThereIs() throws InterruptedException {
    long images = 0;
    long unbuilt = 0;
    long found = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Run run = new Run(seed);
      run.steps();
      run.checkImages();
      images += run.points.size();
      unbuilt += run.unbuilt;
      found += run.found;
    }
    System.out.printf(
        "%d images, %d indexes in them were not built, %d entries found, seeds from %d on%n",
        images, unbuilt, found, FIRST_SEED);
    assertThat(images).isGreaterThanOrEqualTo(SEEDS * (long) MOST_IMAGES);
    assertThat(unbuilt).isPositive();
    assertThat(found).isGreaterThan(images);
  }

  /** A moment at which all may end. */
  private record Point(FrozenDisk disk, String where) {}

  private static final class Run {
    private final long seed;
    private final Random random;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final StoreOptions options;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            failures.add(event.cause());
          }
        };
    private Store store;
    private int files;
    private int unbuilt;
    private long found;

    // Guarded by the disk.
    private final Random choice;
    private final List<Point> points = new ArrayList<>();
    private int seen;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.choice = new Random(~seed);
      this.options =
          new StepDrawing(2)
              .builder(seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN, random)
              .build();
      this.store = open(disk.fileSystem());
    }

    private Store open(StoreFileSystem fileSystem) {
      return TestStores.open(DIRECTORY, options, fileSystem, listener, extensions());
    }

    private Extensions extensions() {
      return Extensions.of(options)
          .with(Tuning.DEFAULT.withImmutableMemtables(3))
          .with(
              new Operators(Set.of(), false)
                  .withExtractors(List.of(TestExtractors.WORDS, TestExtractors.HEAD)));
    }

    void steps() throws InterruptedException {
      try {
        Database unused = store.createDatabase(NAME, indexes());
        disk.watch(this::look);
        for (int i = 0; i < STEPS; i++) {
          step();
        }
        check(store, true);
      } finally {
        store.close();
      }
      assertThat(failures).isEmpty();
      disk.watch((call, moment) -> {});
    }

    private Database database() {
      return store.database(NAME);
    }

    private DatabaseOptions indexes() {
      DatabaseOptions.Builder builder = DatabaseOptions.builder();
      if (random.nextInt(4) > 0) {
        builder.index("byWord", TestExtractors.WORDS);
      }
      if (random.nextInt(4) > 0) {
        builder.uniqueIndex("byHead", TestExtractors.HEAD);
      }
      return builder.separateValuesFrom(random.nextInt(3) * 200).build();
    }

    private void step() {
      int drawn = random.nextInt(100);
      if (drawn < 60) {
        write();
      } else if (drawn < 72) {
        read();
      } else if (drawn < 75) {
        database().compact();
      } else if (drawn < 78) {
        ingest();
      } else if (drawn < 82) {
        store.flush();
      } else if (drawn < 84) {
        store.awaitIdle();
      } else if (drawn < 86) {
        store.sync();
      } else if (drawn < 89) {
        store.close();
        store = open(disk.fileSystem());
      } else if (drawn < 95) {
        store.alterDatabase(NAME, indexes());
      } else if (drawn < 97) {
        database()
            .options()
            .indexes()
            .forEach(index -> Index.of(database(), index.name()).rebuild());
      } else if (drawn < 99) {
        database().deleteRange(range());
      } else {
        store.dropDatabase(NAME);
        Database unused = store.createDatabase(NAME, indexes());
      }
    }

    private byte[] key() {
      return String.format("%03d", random.nextInt(KEYS)).getBytes(US_ASCII);
    }

    private KeyRange range() {
      int from = random.nextInt(KEYS);
      return KeyRange.between(
          String.format("%03d", from).getBytes(US_ASCII),
          String.format("%03d", from + random.nextInt(10)).getBytes(US_ASCII));
    }

    /** While it is built, duplicates are only found by the build, which fails then. */
    private boolean isUnique() {
      return database().options().indexes().stream().anyMatch(IndexOptions::isUnique)
          && Index.of(database(), "byHead").progress().isBuilt();
    }

    /** A head that others may have, if somebody looks after that, and some words. */
    private byte[] value(boolean hasHead) {
      StringBuilder value = new StringBuilder();
      if (hasHead && isUnique()) {
        value.append("head").append(random.nextInt(2 * KEYS)).append(", ");
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        value.append("word").append(random.nextInt(5)).append(' ');
      }
      return value.append(" ".repeat(random.nextInt(400))).toString().getBytes(US_ASCII);
    }

    private void write() {
      int drawn = random.nextInt(10);
      WriteOptions how =
          WriteOptions.of(
              drawn == 0 ? Durability.SYNC : drawn < 5 ? Durability.BUFFERED : Durability.NONE);
      try {
        switch (random.nextInt(6)) {
          case 0 -> database().delete(key(), how);
          case 1 -> batch(how);
          case 2 -> transaction(how);
          case 3 -> database().putIfAbsent(key(), value(true), how);
          default -> database().put(key(), value(true), how);
        }
      } catch (DuplicateIndexKeyException e) {
        assertThat(e.index()).isEqualTo("byHead");
      }
    }

    private void batch(WriteOptions how) {
      WriteBatch batch = new WriteBatch();
      for (int i = random.nextInt(12); i >= 0; i--) {
        switch (random.nextInt(8)) {
          case 0 -> batch.delete(database(), key());
          case 1 -> batch.deleteRange(database(), range());
          case 2 -> batch.put(store.database(), key(), value(true));
          default -> batch.put(database(), key(), value(true));
        }
      }
      store.write(batch, how);
    }

    private void transaction(WriteOptions how) {
      try (Transaction transaction = store.beginTransaction()) {
        for (int i = random.nextInt(6); i >= 0; i--) {
          if (random.nextInt(4) == 0) {
            transaction.delete(database(), key());
          } else {
            transaction.put(database(), key(), value(true));
          }
        }
        transaction.commit(how);
      }
    }

    private void read() {
      for (IndexOptions each : database().options().indexes()) {
        Index index = Index.of(database(), each.name());
        if (index.progress().isBuilt()) {
          var unused = TestExtractors.found(index.cursor(KeyRange.all()));
          if (random.nextInt(4) == 0) {
            index.clean();
          }
        }
      }
    }

    /** Values without heads, as files may not bring duplicates. */
    private void ingest() {
      if (random.nextBoolean()) {
        try (BulkLoader loader = database().bulkLoader().memoryBytes(1 << 16).open()) {
          loader.put(key(), value(false));
          loader.finish();
        }
        return;
      }
      Path directory = Path.of("/files-" + files++);
      TestStores.makeDirectory(store, directory);
      try (SstFileWriter writer = TestStores.writer(store, directory.resolve("file"))) {
        writer.put(key(), value(false));
        store.ingest(Map.of(database(), writer.finish().files()), IngestOptions.DEFAULT);
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
      Point point = new Point(disk.freeze(), moment + " " + call);
      if (place < points.size()) {
        points.set(place, point);
      } else {
        points.add(point);
      }
    }

    void checkImages() throws InterruptedException {
      for (Point point : points) {
        boolean killed = choice.nextInt(3) > 0;
        CrashDisk image = killed ? point.disk().kill() : point.disk().crash(choice);
        FrozenDisk before = image.freeze();
        try {
          try (Store reader =
              TestStores.openReadOnly(DIRECTORY, options, image.fileSystem(), extensions())) {
            check(reader, false);
          }
          LeakCountingFileSystem counted = new LeakCountingFileSystem(image.fileSystem());
          try (Store opened = open(counted)) {
            check(opened, true);
            goOn(opened);
            check(opened, true);
          }
          counted.assertNothingOpen();
          assertThat(
                  TestChecks.run(
                          image.fileSystem(),
                          DIRECTORY,
                          List.of(TestExtractors.WORDS, TestExtractors.HEAD))
                      .findings())
              .isEmpty();
        } catch (RuntimeException | Error e) {
          Path saved = Path.of("target", "crash-images", "image-" + System.nanoTime());
          before.kill().copyTo(saved);
          String death = killed ? "killed " : "power lost ";
          throw new AssertionError(
              "seed " + seed + ", " + options + ", " + death + point + "; the image is in " + saved,
              e);
        }
      }
      assertThat(failures).isEmpty();
    }

    private void goOn(Store opened) {
      store = opened;
      if (opened.databaseNames().contains(NAME)) {
        for (int i = choice.nextInt(10); i > 0; i--) {
          write();
          read();
        }
      }
    }

    private void check(Store opened, boolean builds) throws InterruptedException {
      if (!opened.databaseNames().contains(NAME)) {
        return;
      }
      Database database = opened.database(NAME);
      for (IndexOptions each : database.options().indexes()) {
        Index index = Index.of(database, each.name());
        if (!index.progress().isBuilt()) {
          unbuilt++;
          if (!builds) {
            continue;
          }
          assertThat(index.awaitBuilt(Duration.ofMinutes(1))).isTrue();
        }
        var extractor = each.isUnique() ? TestExtractors.HEAD : TestExtractors.WORDS;
        List<String> expected = TestExtractors.expected(database, extractor);
        assertThat(TestExtractors.found(index.cursor(KeyRange.all())))
            .as("%s", each)
            .isEqualTo(expected);
        assertThat(TestExtractors.foundBackwards(index.cursor(KeyRange.all()))).isEqualTo(expected);
        found += expected.size();
        if (each.isUnique()) {
          Set<String> keys = new HashSet<>();
          expected.forEach(
              entry -> assertThat(keys.add(entry.split(" ", 2)[0])).as(entry).isTrue());
        }
      }
    }
  }
}
