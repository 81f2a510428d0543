package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.DrawnPolicy;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Random operations agree with sorted maps, with each way to read blocks, with and without filters,
 * and all ways to search mixed in each store. A longer run: {@code
 * -Dsifr.model.operations=2000000}; another first seed: {@code -Dsifr.model.seed=…}.
 */
@Tag("model")
@Tag("jvm")
class StoreModelTest {
  private static final long OPERATIONS =
      Long.getLong("sifr.model.operations", SearchLength.of(6_000, 12_000));
  private static final long FIRST_SEED = Long.getLong("sifr.model.seed", 1);
  private static final long OPERATIONS_A_SEED = 1_000;
  private static final List<ReadMode> READ_MODES = List.of(ReadMode.values());
  private static final int WAYS = 2 * READ_MODES.size();

  @Test
  void storeAgreesWithSortedMaps(@TempDir Path directory) {
    run(directory, (options, random) -> Policies.of(options));
  }

  /** A directory may be opened with other rules than it was written with. */
  @Test
  void storeAgreesWhateverPolicyItIsOpenedWith(@TempDir Path directory) {
    run(directory, DrawnPolicy::any);
  }

  /** On a disk that fills up and has space again. */
  @Test
  void storeAgreesOnADiskThatIsFullNowAndThen() {
    Logger log = (Logger) LoggerFactory.getLogger("io.sifr.internal");
    log.setLevel(Level.OFF); // what fails is reported many times here, and is what is wanted
    long refused = 0;
    long openings = 0;
    try {
      for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds(); seed++) {
        CrashDisk disk = CrashDisk.with(Path.of("/model"));
        disk.encrypt((int) (seed % 3));
        Path store = Path.of("/model/store");
        try (StoreModel model =
            new StoreModel(seed, store, disk, reads(seed), hasFilters(seed), DrawnPolicy::any)) {
          run(model);
          refused += model.refused();
          openings += model.openings();
        }
        assertThat(TestChecks.run(disk.fileSystem(), store).findings())
            .as("seed %d", seed)
            .isEmpty();
      }
    } finally {
      log.setLevel(null);
    }
    System.out.printf(
        "full now and then: %d seeds from %d on, %d operations each, %d of all refused, %d openings%n",
        seeds(), FIRST_SEED, OPERATIONS_A_SEED, refused, openings);
    assertThat(refused).isPositive();
  }

  private static void run(
      Path directory, BiFunction<StoreOptions, Random, CompactionPicker> policies) {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds(); seed++) {
      Path store = directory.resolve("seed-" + seed);
      try (StoreModel model =
          new StoreModel(seed, store, reads(seed), hasFilters(seed), policies)) {
        run(model);
      }
      assertThat(TestChecks.run(DrawnStore.FILES, store).findings()).as("seed %d", seed).isEmpty();
    }
  }

  private static void run(StoreModel model) {
    try {
      model.run(OPERATIONS_A_SEED);
    } catch (RuntimeException e) {
      throw new AssertionError(model.describe(), e);
    }
  }

  private static long seeds() {
    return Math.max(WAYS, OPERATIONS / OPERATIONS_A_SEED);
  }

  private static ReadMode reads(long seed) {
    return READ_MODES.get((int) (seed % READ_MODES.size()));
  }

  private static boolean hasFilters(long seed) {
    return seed % WAYS < READ_MODES.size();
  }
}
