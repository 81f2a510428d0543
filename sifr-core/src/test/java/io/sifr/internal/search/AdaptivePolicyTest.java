package io.sifr.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.search.Searchers.ReadTimes;
import org.junit.jupiter.api.Test;

class AdaptivePolicyTest {
  /** Three trees in each of three stages. */
  private static final double[] FOREST = {1, 1, 1, 4, 4, 4, 16, 16, 16};

  private static int depth(double[] weights, double share, int answered) {
    long first = (1L << answered) - 1;
    long allowed = AdaptivePolicy.lookAhead(weights, share).allowed(first, first);
    assertThat(allowed & first).isZero();
    assertThat(allowed | first).isEqualTo((1L << (answered + Long.bitCount(allowed))) - 1);
    return answered + Long.bitCount(allowed);
  }

  @Test
  void quickReadsAreNotHandedOver() {
    assertThat(AdaptivePolicy.isWorthHandingOver(1_500, 16, 1, 2)).isFalse();
    assertThat(AdaptivePolicy.isWorthHandingOver(AdaptivePolicy.HAND_OFF_NANOS, 16, 1, 2))
        .isFalse();
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, 16, 1, 2)).isTrue();
    assertThat(AdaptivePolicy.isWorthHandingOver(ReadTimes.FIRST_GUESS_NANOS, 1, 1, 2)).isTrue();
  }

  @Test
  void nothingIsHandedOverWhenAllAreAtWork() {
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, 0, 1, 2)).isFalse();
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, -3, 1, 2)).isFalse();
  }

  @Test
  void callersThatKeepAllProcessorsBusyHandNothingOver() {
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, 16, 2, 2)).isTrue();
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, 16, 3, 2)).isFalse();
    assertThat(AdaptivePolicy.isWorthHandingOver(60_000, 16, 3, 8)).isTrue();
  }

  @Test
  void theShareShrinksWithTheLoad() {
    assertThat(AdaptivePolicy.share(16, 16)).isEqualTo(AdaptivePolicy.IDLE_SHARE);
    assertThat(AdaptivePolicy.share(4, 16)).isEqualTo(AdaptivePolicy.IDLE_SHARE / 4);
    assertThat(AdaptivePolicy.share(0, 16)).isZero();
    assertThat(AdaptivePolicy.share(-2, 16)).isZero();
  }

  @Test
  void likelyCandidatesAreReadWithAllAboveThem() {
    assertThat(depth(FOREST, 0.02, 0)).isEqualTo(2);
    assertThat(depth(FOREST, 0.2, 0)).isEqualTo(6);
    assertThat(depth(FOREST, 0.4, 3)).isEqualTo(7);
    assertThat(depth(FOREST, 0.6, 6)).isEqualTo(8);
    assertThat(depth(FOREST, 0.6, 7)).isEqualTo(9);
  }

  @Test
  void aShareOfZeroIsSerialAndOfOneIsAll() {
    for (int answered = 0; answered < FOREST.length; answered++) {
      assertThat(depth(FOREST, 0, answered)).isEqualTo(answered + 1);
      assertThat(depth(FOREST, 1, answered)).isEqualTo(FOREST.length);
    }
  }

  /** Where one tree holds nearly everything, the last ones wait for the first answers. */
  @Test
  void noMoreThanThreeQuartersAreUnderWayOrFour() {
    assertThat(depth(FOREST, 0.9, 0)).isEqualTo(6);
    assertThat(depth(FOREST, 0.9, 2)).isEqualTo(8);
    assertThat(depth(new double[] {1, 1, 1, 100}, 0.5, 0)).isEqualTo(4);
    assertThat(depth(new double[] {1, 1, 1, 1, 100}, 0.5, 0)).isEqualTo(4);
    assertThat(depth(new double[] {1, 1, 1, 1, 100}, 0.5, 1)).isEqualTo(5);
    assertThat(depth(new double[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100}, 0.5, 0)).isEqualTo(9);
  }

  @Test
  void readTimesFollowWhatIsMeasured() {
    ReadTimes times = new ReadTimes();
    assertThat(times.nanos()).isEqualTo(ReadTimes.FIRST_GUESS_NANOS);
    for (int i = 0; i < 100; i++) {
      times.took(2_000);
    }
    assertThat(times.nanos()).isBetween(1_000L, AdaptivePolicy.HAND_OFF_NANOS);
    for (int i = 0; i < 100; i++) {
      times.took(80_000);
    }
    assertThat(times.nanos()).isBetween(70_000L, 80_000L);
    times.took(Long.MAX_VALUE);
    assertThat(times.nanos()).isLessThan(2_000_000);
    long before = times.nanos();
    times.end(0);
    assertThat(times.nanos()).isEqualTo(before);
  }
}
