package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What each policy writes and how many trees it leaves, against a model that holds keys alone, does
 * nothing while compactions run, and knows neither files nor blocks: entries of 123.5 bytes on
 * average, of which 26,385 are flushed at a time.
 */
@Tag("search")
class PoliciesWriteAsTheModelTest {
  private static final int FLUSH_ENTRIES = 26_385;
  private static final int ENTRIES = 500_000;
  private static final int KEY_BYTES = 23;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    // bytes of SSTs written per user byte and trees after each flush, on average: by the model
    "SPLIT_FOREST, RANDOM, 2.69, 3.0",
    "SPLIT_FOREST, ASCENDING, 0.97, 3.0",
    "SIZE_TIERED, RANDOM, 2.69, 3.0",
    "SIZE_TIERED, ASCENDING, 2.69, 3.0",
    "LAZILY_LEVELED, RANDOM, 3.12, 2.3",
    "LAZILY_LEVELED, ASCENDING, 0.97, 2.3",
    "LEVELED, RANDOM, 2.83, 3.2",
    "LEVELED, ASCENDING, 0.97, 3.2",
    "GUARDED, RANDOM, 2.47, 2.7",
    "GUARDED, ASCENDING, 2.33, 3.1"
  })
  void bytesAndTrees(
      MergePolicy policy, Workload workload, double writeAmplification, double trees) {
    StoreOptions options =
        StoreOptions.builder()
            .mergePolicy(policy)
            .durability(Durability.NONE)
            // No flush but those asked for; with lazy leveling this also limits the last stage.
            .writeBufferBytes(5 << 20)
            .filterBitsPerKey(0)
            .guardBits(20)
            .build();
    SplittableRandom random = new SplittableRandom(1);
    double sumOfTrees = 0;
    int flushes = 0;
    try (Store store = Store.open(directory, options)) {
      Database database = store.database();
      for (int i = 0; i < ENTRIES; i++) {
        long number = workload.number(i, ENTRIES, random);
        byte[] key = ByteBuffer.allocate(KEY_BYTES).putLong(number).array();
        database.put(key, new byte[1 + random.nextInt(200)]);
        if ((i + 1) % FLUSH_ENTRIES == 0) {
          store.flush();
          store.awaitIdle();
          sumOfTrees += store.statistics().contents().trees();
          flushes++;
        }
      }
      System.out.printf(
          Locale.ROOT,
          "%s %s: %.2f bytes of SSTs per byte, %.1f trees%n",
          policy,
          workload,
          store.statistics().writeAmplification(),
          sumOfTrees / flushes);
      // An entry takes a few bytes more than in the model.
      assertThat(store.statistics().writeAmplification())
          .isCloseTo(writeAmplification, within(0.13 * writeAmplification));
      assertThat(sumOfTrees / flushes).isCloseTo(trees, within(0.11 * trees));
    }
  }
}
