package io.sifr.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.cache.CacheArea.Doorkeeper;
import org.junit.jupiter.api.Test;

class DoorkeeperTest {
  @Test
  void whatIsAskedAboutAgainSoonIsKnown() {
    Doorkeeper doorkeeper = new Doorkeeper(1000);
    assertThat(doorkeeper.knows(17)).isFalse();
    for (int i = 100; i < 130; i++) {
      assertThat(doorkeeper.knows(i)).isFalse();
    }
    assertThat(doorkeeper.knows(17)).isTrue();
  }

  @Test
  void whatOthersHaveFollowedIsForgotten() {
    Doorkeeper doorkeeper = new Doorkeeper(64);
    for (int round = 0; round < 2; round++) {
      for (int i = 1; i <= 100_000; i++) {
        assertThat(doorkeeper.knows(i)).isFalse();
      }
    }
  }

  @Test
  void nearlyAllOfHalfItsSlotsAreRemembered() {
    Doorkeeper doorkeeper = new Doorkeeper(1 << 12);
    for (int i = 1; i <= 1 << 11; i++) {
      doorkeeper.knows(31 * i);
    }
    int known = 0;
    for (int i = 1; i <= 1 << 11; i++) {
      known += doorkeeper.knows(31 * i) ? 1 : 0;
    }
    assertThat(known).isGreaterThan(3 << 9);
  }

  @Test
  void theSmallestRemembersToo() {
    for (long slots : new long[] {0, 1, 2}) {
      Doorkeeper doorkeeper = new Doorkeeper(slots);
      doorkeeper.knows(5);
      assertThat(doorkeeper.knows(5)).isTrue();
    }
  }
}
