package io.sifr.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LargestNumbersTest {

  @Test
  void countsWhatLiesAtOrAboveANumberUpToItsCapacity() {
    long seed = 9;
    Random random = new Random(seed);
    LargestNumbers largest = new LargestNumbers(10);
    TreeSet<Long> all = new TreeSet<>();
    for (int i = 0; i < 1000; i++) {
      long number = random.nextLong(Long.MAX_VALUE);
      largest.add(number);
      all.add(number);
      assertThat(largest.countFrom(number))
          .describedAs("seed %d, round %d", seed, i)
          .isEqualTo(Math.min(10, all.tailSet(number).size()));
    }
  }
}
