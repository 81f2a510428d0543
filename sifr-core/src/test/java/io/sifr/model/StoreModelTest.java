package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
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

  @Test
  void storeAgreesWithSortedMaps(@TempDir Path directory) {
    run(directory, (options, random) -> Policies.of(options));
  }

  /** A directory may be opened with other rules than it was written with. */
  @Test
  void storeAgreesWhateverPolicyItIsOpenedWith(@TempDir Path directory) {
    run(directory, DrawnPolicy::any);
  }

  private static void run(
      Path directory, BiFunction<StoreOptions, Random, CompactionPolicy> policies) {
    int ways = 2 * READ_MODES.size();
    long seeds = Math.max(ways, OPERATIONS / OPERATIONS_A_SEED);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
      Path store = directory.resolve("seed-" + seed);
      int way = (int) (seed % ways);
      ReadMode reads = READ_MODES.get(way % READ_MODES.size());
      boolean hasFilters = way < READ_MODES.size();
      try (StoreModel model = new StoreModel(seed, store, reads, hasFilters, policies)) {
        try {
          model.run(OPERATIONS_A_SEED);
        } catch (RuntimeException e) {
          throw new AssertionError(model.describe(), e);
        }
      }
      assertThat(TestChecks.run(DrawnStore.FILES, store).findings()).as("seed %d", seed).isEmpty();
    }
  }
}
