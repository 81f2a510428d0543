package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.SearchLength;
import java.nio.ByteBuffer;
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
 * A store whose values are overwritten until value files are emptied. The process is killed, or the
 * machine loses power, at moments of all calls to the disk. What is opened then has the values of
 * one moment, no earlier than durability demands, is sound, has no file too many, and goes on.
 *
 * <p>A longer run: {@code -Dsifr.emptied.seeds=1000}; another first seed: {@code
 * -Dsifr.emptied.seed=…}.
 */
@Tag("crash")
class EmptiedValuesCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.emptied.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.emptied.seeds", SearchLength.of(6, 40));

  private static final Path DIRECTORY = Path.of("/store");
  private static final String APART = "apart";
  private static final int STEPS = 250;
  private static final int KEYS = 24;
  private static final int MOST_IMAGES = 60;

  @Test
  void valuesAreWhereTheyWereOrWhereTheyAreCopied() {
    long images = 0;
    long emptied = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Run run = new Run(seed);
      run.steps();
      run.checkImages();
      images += run.points.size();
      emptied += run.emptied;
    }
    System.out.printf(
        "%d images, %d times files were emptied, seeds from %d on%n", images, emptied, FIRST_SEED);
    assertThat(emptied).isPositive();
  }

  private static byte[] key(int number) {
    return String.format("%03d", number).getBytes(US_ASCII);
  }

  /**
   * A moment at which all may end.
   *
   * @param begun so many writes had begun
   * @param returned so many had returned
   * @param synced so many were durable for sure
   */
  private record Point(FrozenDisk disk, String where, int begun, int returned, int synced) {}

  private static final class Run {
    private final long seed;
    private final Random random;
    private final Random choice;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final StoreOptions options;
    private final Tuning tuning;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private Store store;
    private long emptied;

    // Written by the thread of the steps, read by all that call the disk.
    private final List<Integer> keys = new ArrayList<>();
    private volatile int begun;
    private volatile int returned;
    private volatile int synced;

    // Guarded by the disk.
    private final List<Point> points = new ArrayList<>();
    private int seen;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.choice = new Random(~seed);
      this.options =
          new StepDrawing(1)
              .builder(seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN, random)
              .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3)))
              .maxSpaceAmplification(1.1 + random.nextDouble() / 2)
              .build();
      this.tuning =
          Tuning.DEFAULT
              .withSstsBeforeGrowth(9000)
              .withCleaningThresholdBytes(4096L << random.nextInt(6));
      this.store = open(disk.fileSystem());
      Database unused =
          store.createDatabase(
              APART, DatabaseOptions.builder().separateValuesFrom(1 + random.nextInt(600)).build());
    }

    private Store open(StoreFileSystem files) {
      StoreListener listener =
          new StoreListener() {
            @Override
            public void failed(FailureEvent event) {
              failures.add(event.cause());
            }
          };
      return TestStores.open(
          DIRECTORY, options, files, listener, Extensions.of(options).with(tuning));
    }

    void steps() {
      disk.watch(this::look);
      try {
        for (int i = 0; i < STEPS; i++) {
          step();
        }
        store.awaitIdle();
      } finally {
        close();
      }
      assertThat(failures).isEmpty();
      disk.watch((call, moment) -> {});
    }

    private void close() {
      emptied +=
          store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.VALUE_FILES, 0L);
      store.close();
      synced = returned;
    }

    private void step() {
      int drawn = random.nextInt(100);
      if (drawn < 80) {
        write();
      } else if (drawn < 90) {
        store.flush();
        synced = returned;
      } else if (drawn < 96) {
        store.awaitIdle();
      } else if (drawn < 98) {
        store.sync();
        synced = returned;
      } else {
        close();
        store = open(disk.fileSystem());
      }
    }

    private void write() {
      int key = random.nextInt(1 + random.nextInt(KEYS));
      synchronized (keys) {
        keys.add(key);
      }
      int number = begun;
      begun = number + 1;
      byte[] value = new byte[4 + random.nextInt(3000)];
      ByteBuffer.wrap(value).putInt(number);
      store.database(APART).put(key(key), value);
      returned = number + 1;
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
      int syncedNow = synced;
      int returnedNow = returned;
      FrozenDisk frozen = disk.freeze();
      Point point = new Point(frozen, moment + " " + call, begun, returnedNow, syncedNow);
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
        int least = killed ? point.returned() : point.synced();
        String where = (killed ? "killed " : "power lost ") + point.where();
        try {
          check(image.fileSystem(), least, point.begun());
        } catch (RuntimeException | Error e) {
          Path saved = Path.of("target", "crash-images", "image-" + System.nanoTime());
          before.kill().copyTo(saved);
          throw new AssertionError(
              "seed " + seed + ", " + options + ", " + where + "; the image is in " + saved, e);
        }
      }
      assertThat(failures).isEmpty();
    }

    private void check(StoreFileSystem files, int least, int most) {
      long referred = 0;
      try (Store opened = open(files)) {
        if (opened.databaseNames().contains(APART)) {
          Database database = opened.database(APART);
          Map<Integer, Integer> found = content(database);
          requireMoment(found, least, most);
          opened.flush();
          opened.awaitIdle();
          assertThat(content(database)).isEqualTo(found);
          referred = opened.statistics().get(Metric.VALUE_FILES);
        } else {
          assertThat(least).isZero();
        }
      }
      assertThat(FileKind.VALUES.numbersIn(files, DIRECTORY)).hasSize((int) referred);
      assertThat(TestChecks.run(files, DIRECTORY).findings()).isEmpty();
    }

    /** The number of the write that each key has its value from. */
    private static Map<Integer, Integer> content(Database database) {
      Map<Integer, Integer> content = new TreeMap<>();
      try (Cursor cursor = database.cursor()) {
        while (cursor.next()) {
          int key = Integer.parseInt(new String(cursor.key(), US_ASCII));
          content.put(key, ByteBuffer.wrap(cursor.value()).getInt());
        }
      }
      return content;
    }

    private void requireMoment(Map<Integer, Integer> content, int least, int most) {
      List<Integer> all;
      synchronized (keys) {
        all = List.copyOf(keys.subList(0, most));
      }
      Map<Integer, Integer> done = new TreeMap<>();
      for (int write = 0; write <= most; write++) {
        if (write >= least && done.equals(content)) {
          return;
        }
        if (write < most) {
          done.put(all.get(write), write);
        }
      }
      throw new AssertionError("no first writes, " + least + " to " + most + ", do " + content);
    }
  }
}
