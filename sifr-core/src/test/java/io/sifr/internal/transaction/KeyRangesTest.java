package io.sifr.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyRangesTest {
  private static final int KEYS = 40;

  /** Some of them are prefixes of the next one, so that ranges touch where keys follow closely. */
  private static byte[] key(int number) {
    return Arrays.copyOf(new byte[] {(byte) (0xC0 + number / 4)}, 1 + number % 4);
  }

  @Test
  void areAsTheKeysInThem() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      KeyRanges ranges = new KeyRanges();
      boolean[] held = new boolean[KEYS];
      for (int i = random.nextInt(12); i > 0; i--) {
        int from = random.nextInt(KEYS);
        int to = random.nextInt(10) == 0 ? KEYS : Math.min(KEYS, from - 2 + random.nextInt(8));
        int before = ranges.all().size();
        boolean isMore = ranges.add(key(from), end(Math.max(0, to)));
        assertThat(isMore).as("seed %d", seed).isEqualTo(ranges.all().size() > before);
        for (int key = from; key < to; key++) {
          held[key] = true;
        }
        check(ranges, held, seed);
      }
    }
  }

  private static byte @Nullable [] end(int to) {
    return to == KEYS ? null : key(to);
  }

  private static void check(KeyRanges ranges, boolean[] held, long seed) {
    int stretches = 0;
    for (int key = 0; key < KEYS; key++) {
      KeyRanges.Range around = ranges.around(key(key));
      assertThat(around != null).as("seed %d, key %d", seed, key).isEqualTo(held[key]);
      boolean begins = held[key] && (key == 0 || !held[key - 1]);
      stretches += begins ? 1 : 0;
      if (begins && around != null) {
        assertThat(around.from()).as("seed %d", seed).isEqualTo(key(key));
      }
    }
    assertThat(ranges.all()).as("seed %d", seed).hasSize(stretches);
    assertThat(ranges.isEmpty()).isEqualTo(stretches == 0);
  }
}
