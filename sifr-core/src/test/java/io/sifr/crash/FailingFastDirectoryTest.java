package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.Futures;
import io.sifr.testing.SearchLength;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * From any call to the fast directory on, calls of some kinds fail there, once or for good, while
 * the store's directory is sound. No write is refused or lost: neither then nor when the process is
 * killed, or the power fails, and what has failed works again when the store is opened.
 *
 * <p>A longer run: {@code -Dsifr.failing.runs=5000}; another first seed: {@code
 * -Dsifr.failing.seed=…}.
 */
@Tag("crash")
class FailingFastDirectoryTest {
  private static final long FIRST_SEED =
      Long.getLong("sifr.failing.seed", System.nanoTime() % 1_000_000_000);
  private static final int RUNS = Integer.getInteger("sifr.failing.runs", SearchLength.of(40, 400));

  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final int WRITES = 1500;
  private static final int KEYS = 300;

  private long failures;
  private long replacements;

  @Test
  void writesGoOnWhateverFailsThere() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      try {
        new Run(seed).run();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    System.out.printf(
        "%d runs, %d with failures, logs replaced %d times, seeds from %d on%n",
        RUNS, failures, replacements, FIRST_SEED);
    assertThat(failures).isPositive();
    assertThat(replacements).isPositive();
  }

  private static byte[] key(int number) {
    return String.format("%04d", number).getBytes(US_ASCII);
  }

  private final class Run {
    private final Random random;
    private final CrashDisk disk = CrashDisk.with(DIRECTORY);
    private final FaultyFileSystem files = new FaultyFileSystem(disk.fileSystem());
    private final StoreOptions options;

    /** By key, the number of the write that each has its value from. */
    private final Map<String, Integer> written = new TreeMap<>();

    /** The same, of what is durable for sure. */
    private Map<String, Integer> durable = Map.of();

    Run(long seed) {
      this.random = new Random(seed);
      this.options =
          new StepDrawing(1)
              .builder(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN, random)
              .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3)))
              .fastDirectory(FAST)
              .fastIsVolatile(false)
              .fastBytes((64 + random.nextInt(256)) << 10)
              .coldDirectory(null)
              .retainedLogBytes(random.nextInt(3) == 0 ? 1 << 18 : 0)
              .build();
    }

    void run() {
      Store store = TestStores.open(DIRECTORY, options, files);
      int failsAt = random.nextInt(WRITES);
      try {
        for (int i = 0; i < WRITES; i++) {
          if (i == failsAt) {
            fail();
          }
          step(store, i);
        }
        checkImages();
        replacements += store.statistics().get(Metric.LOG_REPLACEMENTS);
      } finally {
        close(store);
      }
      durable = Map.copyOf(written);
      files.heal();
      check(disk.fileSystem());
    }

    /** What a process that is killed leaves, or a power failure, both in sound directories. */
    private void checkImages() {
      check(disk.kill().fileSystem(), written);
      check(disk.crash(random).fileSystem(), durable);
    }

    private void fail() {
      failures++;
      Set<Operation> kinds = EnumSet.noneOf(Operation.class);
      boolean vanishes = random.nextInt(4) == 0;
      for (Operation operation : Operation.values()) {
        if (vanishes || random.nextInt(8) == 0) {
          kinds.add(operation);
        }
      }
      boolean isOnce = random.nextInt(3) == 0;
      for (Operation operation : kinds) {
        int nth = vanishes ? 1 : 1 + random.nextInt(30);
        if (isOnce) {
          files.failOnce(operation, path -> path.startsWith(FAST), nth, Fault.EIO);
        } else {
          files.failForGood(operation, path -> path.startsWith(FAST), nth, Fault.EIO);
        }
      }
    }

    private void step(Store store, int number) {
      int drawn = random.nextInt(1000);
      if (drawn < 20) {
        store.sync();
        durable = Map.copyOf(written);
      } else if (drawn < 25) {
        store.flush();
        durable = Map.copyOf(written);
      } else {
        boolean isSync = drawn < 100;
        Database database = store.database();
        String key = new String(key(random.nextInt(KEYS)), US_ASCII);
        byte[] value = new byte[4 + random.nextInt(400)];
        ByteBuffer.wrap(value).putInt(number);
        WriteOptions options = isSync ? WriteOptions.SYNC : WriteOptions.BUFFERED;
        if (drawn % 2 == 0) {
          Futures.await(database.putAsync(key.getBytes(US_ASCII), value, options));
        } else {
          database.put(key.getBytes(US_ASCII), value, options);
        }
        written.put(key, number);
        if (isSync) {
          durable = Map.copyOf(written);
        }
      }
    }

    private void close(Store store) {
      try {
        store.close();
      } catch (SifrException e) {
        assertThat(e.getMessage()).contains(FAST.toString()); // a file there, of no use any more
      }
    }

    private void check(StoreFileSystem left) {
      check(left, durable);
    }

    /** Checks that it has all of these writes, or later ones, and is sound. */
    private void check(StoreFileSystem left, Map<String, Integer> least) {
      try (Store store = TestStores.open(DIRECTORY, options, left)) {
        Map<String, Integer> found = new TreeMap<>();
        try (Cursor cursor = store.database().cursor()) {
          while (cursor.next()) {
            found.put(new String(cursor.key(), US_ASCII), ByteBuffer.wrap(cursor.value()).getInt());
          }
        }
        assertThat(found.keySet()).containsAll(least.keySet());
        found.forEach(
            (key, number) ->
                assertThat(number).as(key).isBetween(least.getOrDefault(key, 0), written.get(key)));
      }
      assertThat(TestChecks.run(left, DIRECTORY).findings()).isEmpty();
    }
  }
}
