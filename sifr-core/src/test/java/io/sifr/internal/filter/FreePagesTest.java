package io.sifr.internal.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreePagesTest {
  private record Run(int from, int count) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void noPageIsTakenTwiceAndTheLowestFittingOnesAreTaken(long seed) {
    Random random = new Random(seed);
    FreePages pages = new FreePages(1);
    BitSet used = new BitSet();
    used.set(0);
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      if (random.nextInt(100) < (i / 1000 % 2 == 0 ? 60 : 40) || runs.isEmpty()) {
        int count = 1 + random.nextInt(9);
        int from = pages.take(count);
        assertThat(from).as("seed %d, step %d", seed, i).isEqualTo(lowest(used, count));
        used.set(from, from + count);
        runs.add(new Run(from, count));
      } else {
        Run run = runs.remove(random.nextInt(runs.size()));
        pages.free(run.from(), run.count());
        used.clear(run.from(), run.from() + run.count());
      }
      assertThat(pages.end()).isEqualTo(used.length());
      int page = random.nextInt(used.length() + 3);
      assertThat(pages.isFree(page)).isEqualTo(!used.get(page));
    }
    runs.forEach(run -> pages.free(run.from(), run.count()));
    assertThat(pages.end()).isEqualTo(1);
  }

  private static int lowest(BitSet used, int count) {
    int from = used.nextClearBit(0);
    while (used.nextSetBit(from) >= 0 && used.nextSetBit(from) < from + count) {
      from = used.nextClearBit(used.nextSetBit(from));
    }
    return from;
  }
}
