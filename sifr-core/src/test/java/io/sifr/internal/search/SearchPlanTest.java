package io.sifr.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The plans, as pure functions: which candidates may be searched at which moment. */
class SearchPlanTest {
  /** A set from text: the first letter is candidate 0. */
  private static long set(String drawing) {
    long set = 0;
    for (int i = 0; i < drawing.length(); i++) {
      set |= drawing.charAt(i) == 'x' ? 1L << i : 0;
    }
    return set;
  }

  private static String draw(long set, int count) {
    StringBuilder drawing = new StringBuilder();
    for (int i = 0; i < count; i++) {
      drawing.append((set >>> i & 1) == 0 ? '.' : 'x');
    }
    return drawing.toString();
  }

  @Test
  void fixedCountAllowsAllAtOnce() {
    assertThat(draw(SearchPlan.ALL.allowed(0, 0), 5)).isEqualTo("xxxxx");
  }

  @Test
  void priorityAwareAllowsTheFirstStageThatHasNotAnswered() {
    SearchPlan plan = SearchPlan.stageAfterStage(new int[] {1, 1, 2, 4, 4});
    assertThat(draw(plan.allowed(0, 0), 5)).isEqualTo("xx...");
    assertThat(draw(plan.allowed(set("xx..."), set(".x...")), 5)).isEqualTo("xx...");
    assertThat(draw(plan.allowed(set("xx..."), set("xx...")), 5)).isEqualTo("..x..");
    assertThat(draw(plan.allowed(set("xxx.."), set("xxx..")), 5)).isEqualTo("...xx");
    assertThat(draw(plan.allowed(set("xxxxx"), set("xxxxx")), 5)).isEqualTo(".....");
  }

  @Test
  void lastStageAllowsOneOfEitherRow() {
    SearchPlan plan = SearchPlan.twoRows(2);
    assertThat(draw(plan.allowed(0, 0), 5)).isEqualTo("x.x..");
    assertThat(draw(plan.allowed(set("x...."), 0), 5)).isEqualTo("..x..");
    assertThat(draw(plan.allowed(set("x.x.."), 0), 5)).isEqualTo(".....");
    assertThat(draw(plan.allowed(set("x.x.."), set("..x..")), 5)).isEqualTo("...x.");
    assertThat(draw(plan.allowed(set("x.x.."), set("x....")), 5)).isEqualTo(".x...");
    assertThat(draw(plan.allowed(set("xxx.."), set("xx...")), 5)).isEqualTo(".....");
  }

  @Test
  void oneRowIsSerial() {
    SearchPlan plan = SearchPlan.twoRows(Long.SIZE);
    assertThat(draw(plan.allowed(0, 0), 3)).isEqualTo("x..");
    assertThat(draw(plan.allowed(set("x.."), 0), 3)).isEqualTo("...");
    assertThat(draw(plan.allowed(set("x.."), set("x..")), 3)).isEqualTo(".x.");
  }

  /** Searchers that claim and answer in any order come to every candidate, each once. */
  @Test
  void noQueryStandsStill() {
    for (int seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(Long.SIZE);
      int[] stages = new int[count];
      double[] weights = new double[count];
      for (int i = 0; i < count; i++) {
        stages[i] = i == 0 ? 1 : stages[i - 1] + random.nextInt(2);
        weights[i] = 1 + random.nextInt(1000);
      }
      for (SearchPlan plan :
          new SearchPlan[] {
            SearchPlan.ALL,
            SearchPlan.stageAfterStage(stages),
            SearchPlan.twoRows(random.nextInt(count + 1)),
            SearchPlan.twoRows(Long.SIZE),
            AdaptivePolicy.lookAhead(weights, random.nextDouble()),
            AdaptivePolicy.lookAhead(weights, 0)
          }) {
        iterate(plan, count, random, "seed " + seed);
      }
    }
  }

  private static void iterate(SearchPlan plan, int count, Random random, String seed) {
    long all = -1L >>> (Long.SIZE - count);
    long claimed = 0;
    long answered = 0;
    while (answered != all) {
      long claimable = plan.allowed(claimed, answered) & all & ~claimed;
      long underWay = claimed & ~answered;
      assertThat(claimable | underWay).describedAs(seed).isNotZero();
      if (underWay == 0 || (claimable != 0 && random.nextBoolean())) {
        claimed |= Long.lowestOneBit(claimable);
      } else {
        for (int skip = random.nextInt(Long.bitCount(underWay)); skip > 0; skip--) {
          underWay &= underWay - 1;
        }
        answered |= Long.lowestOneBit(underWay);
      }
    }
  }
}
