package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * EAGER: digits 0 to f-1, as one counts. LAZY: digits 1 to f, since a stage is merged only by the
 * tree that comes on top of the full one. Lowest digit first, and the newest data wins throughout.
 */
class TreesPerStageAreDigitsOfTheFlushesTest {
  private static final int GROWTH = 3;

  @TempDir Path directory;

  private static List<Integer> digits(int flushes, boolean lazy) {
    int smallest = lazy ? 1 : 0;
    List<Integer> digits = new ArrayList<>();
    for (int rest = flushes; rest > 0; ) {
      int digit = Math.floorMod(rest - smallest, GROWTH) + smallest;
      digits.add(digit);
      rest = (rest - digit) / GROWTH;
    }
    return digits;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whetherOrNotOneWaitsForTheMerges(boolean lazy) {
    var options =
        SmallStores.options()
            .compaction(CompactionPolicy.splitForest(GROWTH, lazy))
            .maxSpaceAmplification(0) // nearly all is overwritten
            .build();
    try (Store store = SmallStores.open(directory, options)) {
      for (int flushes = 1; flushes <= 41; flushes++) {
        SmallStores.fill(store.database(), flushes % 5, flushes % 5 + 20, flushes);
        store.flush();
        if (flushes < 20 || flushes == 41) {
          store.awaitIdle();
          assertThat(store.database().forest().stages())
              .describedAs("%d flushes", flushes)
              .extracting(stage -> stage.trees().size())
              .isEqualTo(digits(flushes, lazy));
        }
      }
      assertThat(store.database().get(SmallStores.key(10))).isEqualTo(SmallStores.value(10, 41));
      assertThat(store.database().get(SmallStores.key(0))).isEqualTo(SmallStores.value(0, 40));
      assertThat(store.database().get(SmallStores.key(23))).isEqualTo(SmallStores.value(23, 39));
    }
  }
}
