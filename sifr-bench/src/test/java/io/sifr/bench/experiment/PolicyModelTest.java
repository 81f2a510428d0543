package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.experiment.PolicyModel.Order;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.CompactionPolicy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PolicyModelTest {
  private static final int ENTRIES = 40;

  @Test
  void everyOrderHasEveryEntryOnce() {
    for (Order order : Order.values()) {
      Dataset dataset = new Dataset(Shape.PAPER, ENTRIES, order != Order.RANDOM, 1);
      assertThat(IntStream.range(0, ENTRIES).map(place -> order.entry(dataset, place, ENTRIES)))
          .as(order.label())
          .containsExactlyInAnyOrderElementsOf(IntStream.range(0, ENTRIES).boxed().toList());
    }
  }

  @Test
  void fourStreamsAscendInTurns() {
    Dataset dataset = new Dataset(Shape.PAPER, ENTRIES, true, 1);
    assertThat(
            IntStream.range(0, 8).map(place -> Order.FOUR_STREAMS.entry(dataset, place, ENTRIES)))
        .containsExactly(0, 10, 20, 30, 1, 11, 21, 31);
  }

  /** What follows from the policies whatever a simulation says: a slip in the table is noticed. */
  @Test
  void theFiguresFitTheDesigns() {
    for (int entries : new int[] {400_000, 3_000_000, 10_000_000}) {
      PolicyModel.Figures forest =
          figures(entries, CompactionPolicy.Kind.SPLIT_FOREST, Order.RANDOM);
      PolicyModel.Figures tiered =
          figures(entries, CompactionPolicy.Kind.SIZE_TIERED, Order.RANDOM);
      assertThat(tiered).isEqualTo(forest);
      for (Order order : Order.values()) {
        assertThat(figures(entries, CompactionPolicy.Kind.SIZE_TIERED, order)).isEqualTo(tiered);
        assertThat(figures(entries, CompactionPolicy.Kind.LEVELED, order).trees())
            .isBetween(1.0, 6.0);
      }
      for (CompactionPolicy.Kind policy : PolicyModel.POLICIES) {
        double ascending = figures(entries, policy, Order.ASCENDING).bytes();
        boolean moves =
            policy != CompactionPolicy.Kind.SIZE_TIERED && policy != CompactionPolicy.Kind.GUARDED;
        assertThat(ascending).isBetween(moves ? 0.9 : 1.5, moves ? 1.1 : 5.0);
        assertThat(figures(entries, policy, Order.FOUR_STREAMS).bytes())
            .isBetween(ascending, Math.max(ascending, 5.2));
      }
    }
    assertThat(PolicyModel.figures(40_000, CompactionPolicy.Kind.LEVELED, Order.RANDOM)).isEmpty();
  }

  private static PolicyModel.Figures figures(
      int entries, CompactionPolicy.Kind policy, Order order) {
    return PolicyModel.figures(entries, policy, order).orElseThrow();
  }
}
