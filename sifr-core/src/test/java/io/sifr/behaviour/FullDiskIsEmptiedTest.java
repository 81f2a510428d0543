package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFullException;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * A store that has filled a disk of few SSTs is emptied by a delete of all, whatever compactions
 * have begun, were interrupted or are resumed. A longer run: {@code -Dsifr.emptied.seeds=1000};
 * another first seed: {@code -Dsifr.emptied.seed=…}.
 */
@Tag("crash")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class FullDiskIsEmptiedTest {
  private static final long FIRST_SEED = Long.getLong("sifr.emptied.seed", 1);
  private static final int SEEDS =
      Integer.getInteger("sifr.emptied.seeds", SearchLength.of(20, 200));
  private static final Path DIRECTORY = Path.of("/store");
  private static final int SST_BYTES = 64 << 10;
  private static final int SSTS_ON_DISK = 32;
  private static final int ROUNDS = 3;

  /** Of an opening and the compactions after it. */
  private static final int MOST_CALLS = 400;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.sifr.internal");

  /** What fails is reported many times here, and is what is wanted. */
  @BeforeAll
  static void logNothing() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    LOG.setLevel(null);
  }

  @Test
  void byADeleteOfAll() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      try {
        fillAndEmpty(new Random(seed));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static void fillAndEmpty(Random random) {
    StoreOptions options =
        StoreOptions.builder()
            .splitUnitBytes(SST_BYTES)
            .writeBufferBytes(SST_BYTES << random.nextInt(4))
            .logSegmentBytes(SST_BYTES << random.nextInt(4))
            .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3)))
            .compactionThreads(1 + random.nextInt(3))
            .build();
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    disk.setCapacity(SST_BYTES * SSTS_ON_DISK);
    for (int round = 0; round < ROUNDS; round++) {
      Store filled = open(disk, options);
      if (random.nextBoolean()) {
        filled.pauseCompactions(); // so that there is much to merge
      }
      fillUntilRefused(filled.database(), random);
      disk = end(filled, disk, random);
      for (int openings = random.nextInt(4); openings > 0; openings--) {
        disk = interrupted(disk, options, random);
      }
      Store deleting = open(disk, options);
      deleting.database().deleteRange(KeyRange.all());
      if (random.nextBoolean()) {
        disk = end(deleting, disk, random);
        deleting = open(disk, options);
      }
      try (Store store = deleting) {
        store.database().compact();
        assertThat(SmallStores.content(store.database())).isEmpty();
        assertThat(disk.fileSystem().usableBytes(DIRECTORY))
            .isGreaterThan(SST_BYTES * SSTS_ON_DISK / 2);
      }
    }
  }

  /** A process opens the store, and is killed while compactions are resumed or begin. */
  private static CrashDisk interrupted(CrashDisk disk, StoreOptions options, Random random) {
    AtomicReference<@Nullable FrozenDisk> left = new AtomicReference<>();
    long last = disk.calls() + 1 + random.nextInt(MOST_CALLS);
    disk.watch(
        (call, moment) -> {
          if (call.number() >= last && left.get() == null) {
            left.set(disk.freeze());
          }
        });
    try (Store store = open(disk, options)) {
      store.awaitIdle();
    } catch (StoreFullException e) {
      // compactions go no further
    }
    disk.watch((call, moment) -> {});
    FrozenDisk frozen = left.get();
    return frozen == null ? disk : frozen.kill();
  }

  private static Store open(CrashDisk disk, StoreOptions options) {
    return TestStores.open(DIRECTORY, options, disk.fileSystem());
  }

  /** Keys in random order, so that everything has to be merged. */
  private static void fillUntilRefused(Database database, Random random) {
    try {
      while (true) {
        int number = random.nextInt(1_000_000);
        database.put(SmallStores.key(number), SmallStores.value(number, 1));
      }
    } catch (StoreFullException e) {
      // wanted
    }
  }

  /** The store is closed, or its process is killed. */
  private static CrashDisk end(Store store, CrashDisk disk, Random random) {
    CrashDisk killed = random.nextBoolean() ? disk.kill() : null;
    try {
      store.close();
    } catch (StoreFullException e) {
      // what was acknowledged is in the log
    }
    return killed == null ? disk : killed;
  }
}
