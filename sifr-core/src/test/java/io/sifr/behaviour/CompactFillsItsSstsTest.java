package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An SST holds about a split unit of data, however small that is. */
class CompactFillsItsSstsTest {
  private static final int KEYS = 3000;

  @TempDir Path directory;

  @ParameterizedTest(name = "split unit of {0} bytes")
  @ValueSource(ints = {4096, 8192, 12288, 16384, 65536})
  void andSoDoOtherMerges(int splitUnitBytes) {
    StoreOptions options =
        SmallStores.options().splitUnitBytes(splitUnitBytes).durability(Durability.NONE).build();
    List<Integer> keys = IntStream.range(0, KEYS).boxed().collect(Collectors.toList());
    Collections.shuffle(keys, new Random(1));
    try (Store store = SmallStores.open(directory, options)) {
      keys.forEach(i -> store.database().put(SmallStores.key(i), SmallStores.value(i, 1)));
      store.flush();
      store.awaitIdle();
      int mostSsts = (int) (2 * store.statistics().get(Metric.USER_BYTES) / splitUnitBytes);
      // Of a store of few SSTs, many are the last ones of their trees.
      assertThat(store.statistics().get(Metric.SSTS))
          .describedAs("merged")
          .isLessThanOrEqualTo(mostSsts + 4);
      store.database().compact();
      assertThat(store.statistics().get(Metric.SSTS))
          .describedAs("compacted")
          .isLessThanOrEqualTo(mostSsts);
    }
  }
}
