package io.sifr.internal.compaction.cut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.compaction.cut.StepPlanner.Step;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.testing.SstMetas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StepPlannerTest {

  private static final long SPLIT_UNIT = 2 << 20;
  private static final SstSizes SIZES = new SstSizes(SPLIT_UNIT, SPLIT_UNIT, 16 << 20, 0);

  @Test
  void nothingIsPlannedForNoSsts() {
    assertThat(StepPlanner.plan(List.of(), SIZES)).isEmpty();
    assertThat(StepPlanner.plan(List.of(List.of(), List.of()), SIZES)).isEmpty();
  }

  @Test
  void sstsThatOverlapNothingAreMoved() {
    assertThat(plan("a-c:2000 d-f:2000", "g-i:2000", "j-l:2000", "m-o:2000"))
        .isEqualTo("move a-c | move d-f | move g-i | move j-l | move m-o");
  }

  @Test
  void sstsThatOverlapAreMergedTogether() {
    assertThat(plan("a-m:2000", "b-n:2000", "c-o:2000", "d-p:2000"))
        .isEqualTo("merge a-m b-n c-o d-p");
  }

  @Test
  void thePapersFigure4() {
    // Two trees of the paper's Fig. 4; only three SSTs overlap.
    assertThat(plan("01-04:2000 06-11:2000", "05-08:2000 09-13:2000 14-17:2000"))
        .isEqualTo("move 01-04 | merge 05-08 06-11 09-13 | move 14-17");
  }

  @Test
  void overlapReachesThroughOtherSsts() {
    assertThat(plan("a-c:2000 e-g:2000", "c-e:2000 h-i:2000"))
        .isEqualTo("merge a-c c-e e-g | move h-i");
  }

  @Test
  void sharingOneKeyIsOverlapping() {
    assertThat(plan("a-c:2000", "c-e:2000")).isEqualTo("merge a-c c-e");
    assertThat(plan("c-c:2000", "c-c:2000")).isEqualTo("merge c-c c-c");
    assertThat(plan("-:2000", "-a:2000")).isEqualTo("merge - -a");
  }

  @Test
  void aPrefixOfAKeyIsBelowIt() {
    assertThat(plan("a-ab:2000", "aba-abc:2000")).isEqualTo("move a-ab | move aba-abc");
    assertThat(plan("a-abb:2000", "ab-abc:2000")).isEqualTo("merge a-abb ab-abc");
  }

  @Test
  void bytesAreUnsigned() {
    var low = sst(new byte[] {1}, new byte[] {127}, 2_000_000);
    var high = sst(new byte[] {(byte) 128}, new byte[] {(byte) 255}, 2_000_000);
    assertThat(StepPlanner.plan(List.of(List.of(high), List.of(low)), SIZES))
        .containsExactly(new Step.Move(low), new Step.Move(high));
  }

  @Test
  void oneTreeIsMoved() {
    assertThat(plan("a-c:2000 d-f:2000")).isEqualTo("move a-c | move d-f");
  }

  @Test
  void closeSmallSstsAreJoined() {
    assertThat(plan("1000-1339:42", "1340-1679:42", "1680-2019:42", "2020-2359:42"))
        .isEqualTo("merge 1000-1339 1340-1679 1680-2019 2020-2359");
  }

  @Test
  void streamsThatLieApartStayApart() {
    assertThat(
            plan(
                "10000-10339:80 50000-50339:80 90000-90339:80",
                "10340-10679:80 50340-50679:80 90340-90679:80"))
        .isEqualTo(
            "merge 10000-10339 10340-10679 | merge 50000-50339 50340-50679 | "
                + "merge 90000-90339 90340-90679");
  }

  @Test
  void aSmallSstJoinsTheNeighbourThatCostsLess() {
    assertThat(plan("100000-116999:2000", "117000-117009:8", "117010-134000:1000"))
        .isEqualTo("move 100000-116999 | merge 117000-117009 117010-134000");
    assertThat(plan("100000-116999:1000", "117000-117009:8", "117010-134000:2000"))
        .isEqualTo("merge 100000-116999 117000-117009 | move 117010-134000");
    assertThat(plan("100000-116999:1000 117010-134000:2000", "117000-117009:8 120000-120000:8"))
        .isEqualTo("move 100000-116999 | merge 117000-117009 117010-134000 120000-120000");
  }

  @Test
  void isolatedOutliersAreLeftAlone() {
    assertThat(plan("00000017-00000017:8 05000000-05016999:2000", "01234567-01234567:8"))
        .isEqualTo("move 00000017-00000017 | move 01234567-01234567 | move 05000000-05016999");
  }

  @Test
  void isolatedOutliersAreBoundedInNumber() {
    var random = new SplittableRandom(7);
    List<List<Sst>> trees = new ArrayList<>();
    for (int tree = 0; tree < 4; tree++) {
      var numbers = new TreeSet<Long>();
      while (numbers.size() < 1000) {
        numbers.add(random.nextLong(10_000_000_000L));
      }
      List<Sst> ssts = new ArrayList<>();
      numbers.forEach(n -> ssts.add(drawn(n, n, 8192)));
      for (int i = 0; i < 4; i++) {
        long first = 50_000_000_000L + (tree * 4 + i) * 17_000L;
        ssts.add(drawn(first, first + 16_999, SPLIT_UNIT));
      }
      trees.add(ssts);
    }
    List<Step> steps = StepPlanner.plan(trees, SIZES);
    checkPlan(trees, steps, "outliers");
    assertThat(steps.size()).isLessThanOrEqualTo(4 * (16 + 16 + 1) + 96);
    assertThat(steps.subList(steps.size() - 16, steps.size()))
        .allMatch(step -> step instanceof Step.Move);
  }

  /** An ascending load with a small write buffer: a tree is one SST, four trees make one. */
  @Test
  void smallSstsOfAnAscendingLoadAreMovedUntilTheyAreManyAndThenRewrittenOnce() {
    SstSizes sizes = new SstSizes(SPLIT_UNIT, SPLIT_UNIT, 64 << 10, 0);
    long sstBytes = 44 << 10;
    List<List<List<Sst>>> stages = new ArrayList<>();
    long rewritten = 0;
    for (int flush = 0; flush < 16384; flush++) {
      List<Sst> tree = List.of(drawn(1000L * flush, 1000L * flush + 999, sstBytes));
      for (int stage = 0; tree != null; stage++) {
        if (stage == stages.size()) {
          stages.add(new ArrayList<>());
        }
        stages.get(stage).add(tree);
        tree = null;
        if (stages.get(stage).size() == 4) {
          var steps = StepPlanner.plan(stages.get(stage), sizes);
          rewritten += steps.stream().mapToLong(StepPlannerTest::rewrittenBytes).sum();
          tree = steps.stream().map(StepPlannerTest::output).toList();
          stages.get(stage).clear();
          long bytes = tree.stream().mapToLong(SstSlice::bytes).sum();
          assertThat(tree.size()).isLessThanOrEqualTo((int) (4 * bytes / SPLIT_UNIT) + 1028);
        }
      }
      if (flush < 1024) {
        assertThat(rewritten).describedAs("flush %d", flush).isZero();
      }
    }
    assertThat(rewritten).isPositive().isLessThanOrEqualTo(16384 * sstBytes);
  }

  /** A store with SSTs of 16 MiB whose trees may have 1.25 for each and some. */
  private static SstSizes grown(long spare) {
    return new SstSizes(SPLIT_UNIT, 16 << 20, 16 << 20, spare);
  }

  @Test
  void inALargeStoreSstsAreMovedAsLongAsTheyAreFew() {
    List<List<Sst>> trees = ascendingTrees(4, 8);
    // 64 MiB: 5 for four SSTs of 16 MiB.
    List<Step> steps = StepPlanner.plan(trees, grown(27));
    assertThat(steps).hasSize(32).allMatch(step -> step instanceof Step.Move);
  }

  @Test
  void beyondThatOneAfterTheOtherIsFilled() {
    List<Step> steps = StepPlanner.plan(ascendingTrees(4, 8), grown(20));
    assertThat(steps).hasSize(25);
    assertThat(steps.get(0).inputs()).hasSize(8);
    assertThat(steps.subList(1, 25)).allMatch(step -> step instanceof Step.Move);
    steps = StepPlanner.plan(ascendingTrees(4, 8), grown(0));
    assertThat(sizesOfSteps(steps)).containsExactly(9, 9, 9, 4, 1);
    assertThat(((Step.Rewrite) steps.get(0)).outputBytes()).isLessThanOrEqualTo(18 << 20);
  }

  @Test
  void whatIsRewrittenAnywayIsFilledFirst() {
    List<List<Sst>> trees = ascendingTrees(1, 9);
    trees.add(List.of(drawn(7 * 17_000 + 5, 7 * 17_000 + 9, 8192)));
    List<Step> steps = StepPlanner.plan(trees, grown(6));
    assertThat(steps).hasSize(7);
    assertThat(steps.get(5).inputs()).hasSize(4);
  }

  @Test
  void whatNoLongerSavesAnSstIsNotJoined() {
    // Joining the first two would save one, but the last two are cheaper, and then it does not fit.
    List<Sst> tree =
        List.of(
            drawn(0, 16_999, 10 << 20),
            drawn(17_000, 33_999, 4 << 20),
            drawn(34_000, 50_999, 6 << 20));
    assertThat(sizesOfSteps(StepPlanner.plan(List.of(tree), grown(0)))).containsExactly(1, 2);
  }

  @Test
  void sstsFarFromEachOtherAreJoinedLast() {
    List<Sst> tree = new ArrayList<>();
    for (int tenant = 0; tenant < 6; tenant++) {
      for (int i = 0; i < 2; i++) {
        long first = tenant * 10_000_000_000L + i * 17_000L;
        tree.add(drawn(first, first + 16_999, SPLIT_UNIT));
      }
    }
    assertThat(sizesOfSteps(StepPlanner.plan(List.of(tree), grown(5))))
        .containsExactly(2, 2, 2, 2, 2, 2);
    assertThat(sizesOfSteps(StepPlanner.plan(List.of(tree), grown(1)))).containsExactly(8, 4);
  }

  @Test
  void inALargeStoreAnyForestIsPartitionedInOrder() {
    for (int seed = 0; seed < 2000; seed++) {
      var random = new SplittableRandom(seed);
      List<List<Sst>> trees = new ArrayList<>();
      int range = 1 << (1 + random.nextInt(24));
      for (int tree = random.nextInt(5); tree >= 0; tree--) {
        trees.add(randomTree(random, range));
      }
      SstSizes sizes = new SstSizes(SPLIT_UNIT, SPLIT_UNIT * (2 + random.nextInt(30)), 16 << 20, 0);
      List<Step> steps = StepPlanner.plan(trees, sizes);
      String label = "seed " + seed;
      checkPlan(trees, steps, sizes.targetBytes(), label);
      long bytes = trees.stream().flatMap(List::stream).mapToLong(Sst::bytes).sum();
      // Two neighbours that do not fit into one SST have more than 1.125 of its size together.
      assertThat(steps.stream().mapToLong(StepPlannerTest::outputs).sum())
          .as(label)
          .isLessThanOrEqualTo(2 * bytes / sizes.targetBytes() + 2);
      assertThat(StepPlanner.plan(trees, sizes)).as(label).isEqualTo(steps);
    }
  }

  /** A store that had 16 times the data and SSTs of 16 MiB. */
  @Test
  void whenAStoreHasShrunkLargeSstsAreMovedOrCutIntoSmallOnes() {
    long large = 16 << 20;
    List<Sst> tree = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tree.add(drawn(i * 100_000L, i * 100_000L + 99_999, large));
    }
    List<Sst> newer = List.of(drawn(250_000, 250_100, SPLIT_UNIT));
    List<Step> steps = StepPlanner.plan(List.of(newer, tree), SIZES);
    assertThat(sizesOfSteps(steps)).containsExactly(1, 1, 2, 1);
    assertThat(((Step.Rewrite) steps.get(2)).outputBytes())
        .isBetween(SPLIT_UNIT / 2, SPLIT_UNIT * 9 / 8);
  }

  private static long outputs(Step step) {
    long bytes = step.inputs().stream().mapToLong(SstSlice::bytes).sum();
    return step instanceof Step.Rewrite merge
        ? Math.max(1, bytes / Math.max(1, merge.outputBytes()))
        : 1;
  }

  private static List<Integer> sizesOfSteps(List<Step> steps) {
    return steps.stream().map(step -> step.inputs().size()).toList();
  }

  /** Trees of an ascending load, each of so many SSTs of a split unit. */
  private static List<List<Sst>> ascendingTrees(int trees, int ssts) {
    List<List<Sst>> drawn = new ArrayList<>();
    for (int tree = 0; tree < trees; tree++) {
      List<Sst> one = new ArrayList<>();
      for (int i = 0; i < ssts; i++) {
        long first = (tree * ssts + i) * 17_000L;
        one.add(drawn(first, first + 16_999, SPLIT_UNIT));
      }
      drawn.add(one);
    }
    return drawn;
  }

  private static long rewrittenBytes(Step step) {
    return step instanceof Step.Rewrite ? output(step).bytes() : 0;
  }

  /** What becomes of a step whose inputs fit into one SST and are disjoint. */
  private static Sst output(Step step) {
    List<SstSlice> inputs = step.inputs();
    long bytes = inputs.stream().mapToLong(SstSlice::bytes).sum();
    assertThat(bytes).isLessThanOrEqualTo(SPLIT_UNIT);
    return sst(inputs.get(0).smallestKey(), inputs.get(inputs.size() - 1).largestKey(), bytes);
  }

  @Test
  void outputsAreOfEqualSizeAndNotMuchAboveTheSplitUnit() {
    List<Step> steps = StepPlanner.plan(List.of(trees("a-m:2000"), trees("b-n:1200")), SIZES);
    assertThat(((Step.Rewrite) steps.get(0)).outputBytes()).isEqualTo(1600 * 1024);
    steps = StepPlanner.plan(List.of(trees("a-m:2000"), trees("b-c:8")), SIZES);
    assertThat(((Step.Rewrite) steps.get(0)).outputBytes()).isEqualTo(2008 * 1024);
  }

  @Test
  void treesOutOfOrderAreRefused() {
    assertThatThrownBy(() -> plan("a-c:1", "d-f:1 b-c:1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SST 1 of input tree 1");
    assertThatThrownBy(() -> plan("a-c:1 c-d:1")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> plan("c-a:1")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anyForestIsPartitionedInOrder() {
    for (int seed = 0; seed < 2000; seed++) {
      var random = new SplittableRandom(seed);
      List<List<Sst>> trees = new ArrayList<>();
      int treeCount = 1 + random.nextInt(5);
      int range = 1 << (1 + random.nextInt(24));
      for (int tree = 0; tree < treeCount; tree++) {
        trees.add(randomTree(random, range));
      }
      String label = "seed " + seed;
      List<Step> steps = StepPlanner.plan(trees, SIZES);
      checkPlan(trees, steps, label);
      assertThat(StepPlanner.plan(trees, SIZES)).as(label).isEqualTo(steps);
    }
  }

  @Test
  void aHundredThousandSstsArePlanned() {
    List<List<Sst>> trees = new ArrayList<>();
    for (int tree = 0; tree < 4; tree++) {
      List<Sst> ssts = new ArrayList<>();
      for (long i = 0; i < 25_000; i++) {
        long first = i * 100_000L + tree * 20_000L;
        ssts.add(drawn(first, first + (i % 3 == 0 ? 30_000 : 10), i % 3 == 0 ? SPLIT_UNIT : 8192));
      }
      trees.add(ssts);
    }
    checkPlan(trees, StepPlanner.plan(trees, SIZES), "large");
  }

  private static List<Sst> randomTree(SplittableRandom random, int range) {
    var bounds = new TreeSet<byte[]>(Arrays::compareUnsigned);
    for (int i = random.nextInt(60); i > 0; i--) {
      byte[] digits =
          Integer.toString(random.nextInt(range), 2 + random.nextInt(30))
              .getBytes(StandardCharsets.US_ASCII);
      bounds.add(random.nextInt(20) == 0 ? new byte[0] : digits);
    }
    List<Sst> tree = new ArrayList<>();
    for (byte[] bound = bounds.pollFirst(); bound != null; bound = bounds.pollFirst()) {
      byte[] end = bounds.isEmpty() || random.nextInt(3) == 0 ? bound : bounds.pollFirst();
      long bytes = random.nextInt(3) == 0 ? random.nextLong(2 * SPLIT_UNIT) : random.nextInt(8192);
      tree.add(sst(bound, end, bytes));
    }
    return tree;
  }

  /** Each SST is in one step, and each step lies above the one before it. */
  private static void checkPlan(List<List<Sst>> trees, List<Step> steps, String label) {
    checkPlan(trees, steps, SPLIT_UNIT, label);
  }

  private static void checkPlan(
      List<List<Sst>> trees, List<Step> steps, long targetBytes, String label) {
    List<SstSlice> planned = new ArrayList<>();
    byte[] above = {};
    boolean first = true;
    for (Step step : steps) {
      byte[] smallest = step.inputs().get(0).smallestKey();
      assertThat(first || Arrays.compareUnsigned(smallest, above) > 0).as(label).isTrue();
      for (int i = 0; i < step.inputs().size(); i++) {
        SstSlice sst = step.inputs().get(i);
        byte[] before = step.inputs().get(Math.max(0, i - 1)).smallestKey();
        assertThat(Arrays.compareUnsigned(before, sst.smallestKey())).isLessThanOrEqualTo(0);
        if (first || Arrays.compareUnsigned(sst.largestKey(), above) > 0) {
          above = sst.largestKey();
          first = false;
        }
      }
      if (step instanceof Step.Rewrite merge) {
        assertThat(merge.inputs()).as(label).hasSizeGreaterThan(1);
        assertThat(merge.outputBytes()).isBetween(0L, targetBytes * 9 / 8);
      }
      planned.addAll(step.inputs());
    }
    // Identity, not equality: drawn SSTs may look alike.
    assertThat(planned.stream().map(System::identityHashCode).sorted().toList())
        .as(label)
        .isEqualTo(
            trees.stream().flatMap(List::stream).map(System::identityHashCode).sorted().toList());
  }

  /** The plan of trees drawn as {@code smallest-largest:KiB}. */
  private static String plan(String... trees) {
    List<List<Sst>> drawn = Arrays.stream(trees).map(StepPlannerTest::trees).toList();
    return StepPlanner.plan(drawn, SIZES).stream()
        .map(
            step ->
                (step instanceof Step.Move ? "move " : "merge ")
                    + step.inputs().stream()
                        .map(StepPlannerTest::draw)
                        .collect(Collectors.joining(" ")))
        .collect(Collectors.joining(" | "));
  }

  private static List<Sst> trees(String tree) {
    List<Sst> ssts = new ArrayList<>();
    for (String sst : tree.split(" ", -1)) {
      String range = sst.substring(0, sst.indexOf(':'));
      long bytes = Long.parseLong(sst.substring(sst.indexOf(':') + 1)) * 1024;
      ssts.add(
          sst(
              ascii(range.substring(0, range.indexOf('-'))),
              ascii(range.substring(range.indexOf('-') + 1)),
              bytes));
    }
    return ssts;
  }

  private static Sst drawn(long first, long last, long bytes) {
    String format = "user%019d";
    return sst(
        ascii(String.format(Locale.ROOT, format, first)),
        ascii(String.format(Locale.ROOT, format, last)),
        bytes);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static Sst sst(byte[] smallestKey, byte[] largestKey, long bytes) {
    return new Sst(SstMetas.of(1, 1, bytes, 1, 0, 0, bytes, 0, 1, 1, smallestKey, largestKey));
  }

  private static String draw(SstSlice sst) {
    return new String(sst.smallestKey(), StandardCharsets.US_ASCII)
        + "-"
        + new String(sst.largestKey(), StandardCharsets.US_ASCII);
  }
}
