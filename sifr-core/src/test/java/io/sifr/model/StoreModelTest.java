package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.StoreCheck;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random operations agree with sorted maps. A longer run: {@code -Dsifr.model.operations=2000000};
 * another first seed: {@code -Dsifr.model.seed=…}.
 */
class StoreModelTest {
  private static final long OPERATIONS = Long.getLong("sifr.model.operations", 12_000);
  private static final long FIRST_SEED = Long.getLong("sifr.model.seed", 1);
  private static final long OPERATIONS_A_SEED = 3_000;

  @Test
  void storeAgreesWithSortedMaps(@TempDir Path directory) {
    long seeds = Math.max(1, OPERATIONS / OPERATIONS_A_SEED);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++) {
      Path store = directory.resolve("seed-" + seed);
      try (StoreModel model = new StoreModel(seed, store)) {
        try {
          model.run(OPERATIONS_A_SEED);
        } catch (RuntimeException e) {
          throw new AssertionError(model.describe(), e);
        }
      }
      assertThat(StoreCheck.run(store, CheckProgress.NONE).findings())
          .as("seed %d", seed)
          .isEmpty();
    }
  }
}
