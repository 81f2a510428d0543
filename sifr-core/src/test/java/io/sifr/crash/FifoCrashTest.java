package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.SearchLength;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A store that drops its oldest trees, for their size or their age. The process is killed, or the
 * machine loses power, at moments of all calls to the disk. What is left is what some of the writes
 * do, one after the other: all from one of them on, which is no later than the policy allows, up to
 * another, which is no earlier than durability demands. So what is dropped is the oldest, whole
 * trees of it, and nothing that is gone comes back.
 *
 * <p>A longer run: {@code -Dsifr.fifo.seeds=1000}; another first seed: {@code -Dsifr.fifo.seed=…}.
 */
@Tag("crash")
class FifoCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.fifo.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.fifo.seeds", SearchLength.of(8, 40));

  private static final Path DIRECTORY = Path.of("/store");
  private static final int STEPS = 300;
  private static final int KEYS = 60;
  private static final int MOST_IMAGES = 50;
  private static final int SIZE = 32 << 10;
  private static final Duration AGE = Duration.ofHours(1);

  @Test
  void whatIsLeftIsTheNewest() {
    long images = 0;
    long drops = 0;
    long dropped = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      Run run = new Run(seed);
      run.steps();
      run.checkImages();
      images += run.points.size();
      drops += run.drops;
      dropped += run.imagesWithoutTheFirst;
    }
    System.out.printf(
        "%d images, %d of them without the first writes, %d drops, seeds from %d on%n",
        images, dropped, drops, FIRST_SEED);
    assertThat(drops).isPositive();
    assertThat(dropped).isPositive();
  }

  private static byte[] key(int number) {
    return String.format("%03d", number).getBytes(US_ASCII);
  }

  /**
   * A write.
   *
   * @param from the first key that gets the value, or is deleted
   * @param to the first key that does not
   * @param bytes of the value, in which the number of the write is; 0: keys are deleted
   */
  private record Write(int from, int to, int bytes, long time) {}

  /**
   * A moment at which all may end.
   *
   * @param begun so many writes had begun
   * @param returned so many had returned
   * @param synced so many were durable for sure
   * @param gone of so many it was seen that they were dropped
   */
  private record Point(
      FrozenDisk disk, String where, int begun, int returned, int synced, int gone, long time) {}

  private static final class Run {
    private final long seed;
    private final Random random;
    private final Random choice;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final boolean byAge;
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
    private long drops;
    private int imagesWithoutTheFirst;

    // Written by the thread of the steps, read by all that call the disk.
    private final List<Write> writes = new ArrayList<>();
    private volatile int begun;
    private volatile int returned;
    private volatile int synced;
    private volatile int gone;
    private final AtomicLong time =
        new AtomicLong(Instant.parse("2024-02-03T04:05:06Z").toEpochMilli());

    // Guarded by the disk.
    private final List<Point> points = new ArrayList<>();
    private int seen;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.choice = new Random(~seed);
      this.byAge = random.nextBoolean();
      this.options =
          new StepDrawing(1)
              .builder(seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN, random)
              .compaction(byAge ? CompactionPolicy.fifo(1 << 30, AGE) : CompactionPolicy.fifo(SIZE))
              .build();
      this.store = open(disk.fileSystem(), () -> Instant.ofEpochMilli(time.get()));
    }

    private Store open(StoreFileSystem files, InstantSource clock) {
      return TestStores.open(DIRECTORY, options, files, listener, extensions(clock));
    }

    private Extensions extensions(InstantSource clock) {
      return Extensions.of(options).with(clock);
    }

    void steps() {
      disk.watch(this::look);
      try {
        for (int i = 0; i < STEPS; i++) {
          step();
        }
      } finally {
        drops += drops(store);
        store.close();
      }
      assertThat(failures).isEmpty();
      disk.watch((call, moment) -> {});
    }

    private void step() {
      int drawn = random.nextInt(100);
      if (drawn < 80) {
        write();
        time.addAndGet(random.nextInt(120_000));
      } else if (drawn < 88) {
        store.flush();
        synced = returned;
      } else if (drawn < 91) {
        store.awaitIdle();
        gone = firstLeft(content(store), gone, returned, returned, "after a while").from();
      } else if (drawn < 93) {
        store.database().compact();
        synced = returned;
      } else if (drawn < 95) {
        time.addAndGet(random.nextInt((int) AGE.toMillis()));
      } else if (drawn < 97) {
        store.sync();
        synced = returned;
      } else {
        drops += drops(store);
        store.close();
        synced = returned;
        store = open(disk.fileSystem(), () -> Instant.ofEpochMilli(time.get()));
      }
    }

    private static long drops(Store store) {
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES)).isZero();
      return store
          .statistics()
          .get(Metric.COMPACTIONS)
          .getOrDefault(CompactionReason.STAGE_FULL, 0L);
    }

    private void write() {
      int from = random.nextInt(KEYS);
      int drawn = random.nextInt(20);
      Write write =
          drawn == 0
              ? new Write(from, from + 1 + random.nextInt(KEYS - from), 0, time.get())
              : new Write(from, from + 1, drawn < 3 ? 0 : 4 + random.nextInt(1000), time.get());
      WriteOptions how = random.nextInt(10) == 0 ? WriteOptions.SYNC : WriteOptions.BUFFERED;
      synchronized (writes) {
        writes.add(write);
      }
      int number = begun;
      begun = number + 1;
      Database database = store.database();
      if (write.bytes > 0) {
        byte[] value = new byte[write.bytes];
        ByteBuffer.wrap(value).putInt(number);
        database.put(key(from), value, how);
      } else if (write.to == write.from + 1) {
        database.delete(key(from), how);
      } else {
        database.deleteRange(KeyRange.between(key(write.from), key(write.to)), how);
      }
      returned = number + 1;
      if (how == WriteOptions.SYNC) {
        synced = returned;
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
      int syncedNow = synced;
      int returnedNow = returned;
      int goneNow = gone;
      FrozenDisk frozen = disk.freeze();
      Point point =
          new Point(
              frozen, moment + " " + call, begun, returnedNow, syncedNow, goneNow, time.get());
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
        time.set(point.time());
        InstantSource clock = InstantSource.fixed(Instant.ofEpochMilli(point.time()));
        try {
          Map<Integer, Integer> found;
          try (Store reader =
              TestStores.openReadOnly(DIRECTORY, options, image.fileSystem(), extensions(clock))) {
            found = content(reader);
          }
          Left left = firstLeft(found, point.gone(), least, point.begun(), where);
          try (Store opened = open(image.fileSystem(), clock)) {
            // What is too old now is dropped while the cursor goes on, so it may see a part of it.
            Map<Integer, Integer> meanwhile = content(opened);
            assertThat(found).containsAllEntriesOf(meanwhile);
            opened.flush();
            opened.awaitIdle();
            Map<Integer, Integer> after = content(opened);
            assertThat(meanwhile).containsAllEntriesOf(after);
            Left later = firstLeft(after, left.from(), left.to(), left.to(), where);
            imagesWithoutTheFirst += later.from() > 0 ? 1 : 0;
          }
          assertThat(TestChecks.run(image.fileSystem(), DIRECTORY).findings()).isEmpty();
        } catch (RuntimeException | Error e) {
          Path saved = Path.of("target", "crash-images", "image-" + System.nanoTime());
          before.kill().copyTo(saved);
          throw new AssertionError(
              "seed " + seed + ", " + options + ", " + where + "; the image is in " + saved, e);
        }
      }
      assertThat(failures).isEmpty();
    }

    /**
     * The number of the write that each key has its value from; at one moment, if nothing is
     * dropped meanwhile.
     */
    private static Map<Integer, Integer> content(Store opened) {
      Map<Integer, Integer> content = new TreeMap<>();
      try (Cursor cursor = opened.database().cursor()) {
        while (cursor.next()) {
          int key = Integer.parseInt(new String(cursor.key(), US_ASCII));
          content.put(key, ByteBuffer.wrap(cursor.value()).getInt());
        }
      }
      return content;
    }

    /** The writes that are left: from one on, up to another. */
    private record Left(int from, int to) {}

    /** Finds the writes that are left; the earliest, if it cannot be told. */
    private Left firstLeft(
        Map<Integer, Integer> content, int leastFrom, int leastTo, int mostTo, String where) {
      List<Write> all;
      synchronized (writes) {
        all = List.copyOf(writes.subList(0, mostTo));
      }
      for (int to = mostTo; to >= leastTo; to--) {
        for (int from = leastFrom; from <= to; from++) {
          if (from > 0 && !mayDrop(all, from, to)) {
            break;
          }
          if (done(all, from, to).equals(content)) {
            return new Left(from, to);
          }
        }
      }
      throw new AssertionError(
          where
              + ": no part of the writes, up to "
              + leastTo
              + " to "
              + mostTo
              + ", does "
              + content);
    }

    /** Whether the policy drops the last of those before the first that is left. */
    private boolean mayDrop(List<Write> all, int from, int to) {
      if (byAge) {
        return all.get(from - 1).time + AGE.toMillis() <= time.get();
      }
      // An entry takes less than 40 bytes besides its value, and an SST less than three pages.
      long left =
          all.subList(from - 1, to).stream().mapToLong(write -> write.bytes + 12_328L).sum();
      return left > SIZE;
    }

    private static Map<Integer, Integer> done(List<Write> all, int from, int to) {
      Map<Integer, Integer> done = new TreeMap<>();
      for (int i = from; i < to; i++) {
        Write write = all.get(i);
        for (int key = write.from; key < write.to; key++) {
          if (write.bytes > 0) {
            done.put(key, i);
          } else {
            done.remove(key);
          }
        }
      }
      return done;
    }
  }
}
