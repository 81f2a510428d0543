package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.Compression;
import io.sifr.config.StoreOptions;
import io.sifr.event.CompactionReason;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestPolicies;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadsTest {
  private static final Reads MERGES = new Reads(1, Shape.MOVES);
  private static final Idle IDLE = new Idle(Shape.MOVES, 0);
  private static final long KIB = 1 << 10;

  /** Three superfluous trees: those of stages 1 and 2 have two thirds of what is wasted. */
  private static final String FOREST = "S1: [a:4K] | S2: [a:20K] [a:20K] | S3: [a:200K]";

  @ParameterizedTest
  @CsvSource({
    "65, 0, 0",
    "66, 2, 44",
    "243, 2, 162",
    "244, 3, 244",
    "9999, 3, 9999",
  })
  void stagesThatWastedWhatTheyCostAreMerged(long creditKib, int stage, long costKib) {
    Proposal due = MERGES.due(ForestDrawing.parse(FOREST), creditKib * KIB);
    if (stage == 0) {
      assertThat(due).isNull();
    } else {
      assertThat(due).isNotNull();
      assertThat(due.plan().targetStage()).isEqualTo(stage);
      assertThat(due.plan().inputs()).hasSize(stage + 1);
      assertThat(due.plan().output()).isNull();
      assertThat(due.cost()).isEqualTo(costKib * KIB);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "S1: [a]", "S1: | S2: | S3: [a-z]"})
  void oneTreeIsLeftAlone(String drawing) {
    Forest forest = ForestDrawing.parse(drawing);
    assertThat(MERGES.due(forest, Long.MAX_VALUE - 1)).isNull();
    assertThat(MERGES.needed(forest)).isEqualTo(Look.NO_NEED);
  }

  /** Its trees are about to become fewer. */
  @Test
  void aForestWithACompactionIsLeftAlone() {
    Forest forest =
        ForestDrawing.parse("S1: [d] [c] [b] [a]")
            .apply(CompactionEdits.begun(9, List.of(3L, 4L), 2));
    assertThat(MERGES.due(forest, Long.MAX_VALUE - 1)).isNull();
    assertThat(MERGES.needed(forest)).isEqualTo(Look.NO_NEED);
  }

  /** As few stages as leave two trees, or as many as were paid for. */
  @ParameterizedTest
  @CsvSource({
    "'S1: [a:4K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 43, 0",
    "'S1: [a:4K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 44, 3",
    "'S1: [a:4K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 9999, 3",
    "'S1: [a:2K] [a:2K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 3, 0",
    "'S1: [a:2K] [a:2K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 43, 2",
    "'S1: [a:2K] [a:2K] | S2: [a:20K] [a:20K] | S3: [a:200K]', 44, 4",
    "'S1: [a:2K] | S2: [a:20K] [a:20K]', 41, 0",
    "'S1: [a:2K] | S2: [a:20K] [a:20K]', 42, 3",
    "'S1: [a:2K] [a:2K] [a:2K]', 6, 3",
    "'S1: [a:2K] [a:2K]', 9999, 0",
    "'S1: [a:2K] | S2: | S3: [a:20K]', 9999, 0",
    "'S1: [a]', 9999, 0",
    "'', 9999, 0",
  })
  void anIdleStoreEndsAsTwoTrees(String drawing, long flushedKib, int inputs) {
    Forest forest = ForestDrawing.parse(drawing);
    Proposal due = IDLE.due(forest, flushedKib * KIB, 0);
    assertThat(due == null).isEqualTo(inputs == 0);
    if (due != null) {
      assertThat(due.plan().inputs()).hasSize(inputs);
      assertThat(due.plan().reason()).isEqualTo(CompactionReason.IDLE);
      assertThat(due.cost()).isZero();
    }
  }

  /** What reads have wasted on trees that are merged is no credit any more. */
  @Test
  void inAnIdleStoreReadsPayTheirShare() {
    Proposal due = IDLE.due(ForestDrawing.parse(FOREST), 44 * KIB, 300);
    assertThat(due).isNotNull();
    assertThat(due.cost()).isEqualTo(200);
  }

  @Test
  void anIdleStoreWithACompactionIsLeftAlone() {
    Forest forest =
        ForestDrawing.parse("S1: [d] [c] [b] [a]")
            .apply(CompactionEdits.begun(9, List.of(3L, 4L), 2));
    assertThat(IDLE.due(forest, Long.MAX_VALUE, 0)).isNull();
  }

  /** All reads are of b and c, which have 30 of 1000 KiB, in two trees of three. */
  @ParameterizedTest
  @CsvSource({"29, false", "30, true", "90, true"})
  void keysThatWastedWhatTheyCostAreMerged(long creditKib, boolean isDue) {
    Forest forest = ForestDrawing.parse("S1: [b-c:10K] | S2: [x:500K] | S3: [a-c:20K d-z:470K]");
    Proposal due = MERGES.dueInSpan(forest, creditKib * KIB, keys("b", "c"));
    assertThat(due != null).isEqualTo(isDue);
    if (due != null) {
      assertThat(due.plan().inputs()).extracting(LogicalTree::id).containsExactly(1L, 3L);
      assertThat(due.plan().output()).isEqualTo(3);
      assertThat(due.plan().reason()).isEqualTo(CompactionReason.READS);
      assertThat(due.plan().gathers()).isFalse();
      assertThat(due.cost()).isEqualTo(creditKib * KIB);
      KeySpan span = due.plan().spans().get(0);
      assertThat(span.contains(new byte[] {'a'}, new byte[] {'c'})).isTrue();
      assertThat(span.overlaps(new byte[] {'d'}, new byte[] {'z'})).isFalse();
    }
  }

  @Test
  void keysInOneTreeAreLeftAlone() {
    Forest forest = ForestDrawing.parse("S1: [x] | S2: [a-c:20K d-z]");
    assertThat(MERGES.dueInSpan(forest, Long.MAX_VALUE - 1, keys("b", "c"))).isNull();
  }

  private static List<byte[]> keys(String first, String second) {
    return IntStream.range(0, 128)
        .mapToObj(i -> (i < 64 ? first : second).getBytes(UTF_8))
        .toList();
  }

  /** A merge of compressed SSTs takes more CPU time for each byte of them. */
  @Test
  void aByteOfCompressedSstsCostsMore() {
    Forest forest = ForestDrawing.parse(FOREST);
    long plain = reads(StoreOptions.DEFAULT).needed(forest);
    for (Compression compression : Compression.values()) {
      StoreOptions options = StoreOptions.builder().compression(compression).build();
      double price = Codecs.of(compression).price();
      assertThat(price > 1).as("%s", compression).isEqualTo(compression != Compression.NONE);
      assertThat((double) reads(options).needed(forest))
          .as("%s", compression)
          .isCloseTo(plain * price, within(price));
    }
  }

  private static Reads reads(StoreOptions options) {
    return Policies.of(options).rules().stream()
        .filter(Reads.class::isInstance)
        .map(Reads.class::cast)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void withoutARateThereAreNone() {
    StoreOptions none = StoreOptions.builder().readCompactionBytesPerSecond(0).build();
    assertThat(Policies.of(none).rules()).noneMatch(rule -> rule.priority().beginsAlone());
  }

  @ParameterizedTest
  @CsvSource({"SPLIT_FOREST, MOVES", "SIZE_TIERED, WHOLE", "LEVELED, MOVES"})
  void sstsAreAsThePolicyWantsThem(CompactionPolicy.Kind policy, Shape shape) {
    StoreOptions options = StoreOptions.builder().compaction(CompactionPolicy.of(policy)).build();
    assertThat(reads(options).shape()).isEqualTo(shape);
  }

  /**
   * Forests that grow by flushes, with policies that merge them, and reads of any number: what is
   * merged for reads is never more than what they have wasted, each merge may begin, and a forest
   * that is only read ends as one tree, for at most twice its size.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noMoreIsMergedThanWasWasted(long seed) {
    Random random = new Random(seed);
    Simulation store = new Simulation(new Random(seed));
    for (int i = 0; i < 400; i++) {
      if (random.nextInt(3) == 0) {
        store.flush();
      }
      store.read((long) (Math.pow(10, 3 + 5 * random.nextDouble()) * random.nextDouble()));
    }
    assertThat(store.written).isLessThanOrEqualTo(store.wasted).isPositive();
    long before = store.written;
    long bytes = store.forest.bytes();
    for (int i = 0; i < 10_000 && store.forest.byPriority().size() > 1; i++) {
      store.read(store.bytesOfReads(2000));
    }
    assertThat(store.forest.byPriority()).hasSize(1);
    assertThat(store.written - before).isLessThan(3 * bytes);
  }

  /** Bursts of flushes, after some of which the store is idle. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void inIdleStoresNoMoreIsMergedThanWasFlushed(long seed) {
    Random random = new Random(seed);
    Simulation store = new Simulation(new Random(seed));
    for (int burst = 0; burst < 200; burst++) {
      for (int i = random.nextInt(6); i > 0; i--) {
        store.flush();
      }
      if (random.nextBoolean()) {
        store.idle();
      }
      assertThat(store.written).isLessThanOrEqualTo(store.flushed);
    }
    assertThat(store.written).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void oneThatWasLoadedEndsAsTwoTreesWhenIdle(long seed) {
    Random random = new Random(seed);
    Simulation store = new Simulation(new Random(seed));
    for (int i = 10 + random.nextInt(200); i > 0; i--) {
      store.flush();
    }
    store.idle();
    assertThat(store.forest.byPriority()).hasSizeLessThanOrEqualTo(2);
  }

  /** A store whose reads waste as much on each superfluous tree. */
  private static final class Simulation {
    private final Random random;
    private final Rule.OfStages policy;
    private Forest forest = Forest.empty(1, "default");
    private long nextId = 1;
    private long credit;
    private long wasted;
    private long written;
    private long flushed;
    private long unmerged;

    Simulation(Random random) {
      this.random = random;
      this.policy =
          PolicyRules.stages(
              Policies.of(
                  StoreOptions.builder()
                      .compaction(TestPolicies.merging(random, 2 + random.nextInt(3)))
                      .build()));
    }

    void flush() {
      int kib = 16 + random.nextInt(512);
      forest = forest.withTree(1, tree(kib * KIB));
      flushed += kib * KIB;
      unmerged += kib * KIB;
      for (int i = 0; i < 10; i++) { // leveling may go on for long, span by span
        policy.due(forest).stream().findFirst().ifPresent(this::merge);
      }
      credit = Math.max(0, credit - 4L * kib * KIB);
    }

    void idle() {
      Proposal due = IDLE.due(forest, unmerged, 0);
      for (; due != null; due = IDLE.due(forest, unmerged, 0)) {
        written += due.plan().inputs().stream().mapToLong(LogicalTree::liveBytes).sum();
        unmerged = 0;
        merge(due.plan());
      }
    }

    long bytesOfReads(int reads) {
      return 18L * reads * Math.max(0, forest.byPriority().size() - 1);
    }

    void read(long bytes) {
      wasted += bytes;
      credit += bytes;
      long needed = MERGES.needed(forest);
      Proposal due = MERGES.due(forest, credit);
      assertThat(due == null).isEqualTo(credit < needed);
      if (due != null) {
        long cost = due.plan().inputs().stream().mapToLong(LogicalTree::liveBytes).sum();
        assertThat(due.cost()).isBetween(cost, credit);
        credit -= due.cost();
        written += cost;
        List<Long> ids = due.plan().inputs().stream().map(LogicalTree::id).toList();
        forest = forest.apply(new ForestEdit.TreesMoved(1, due.plan().targetStage(), ids));
        merge(due.plan());
      }
    }

    private void merge(CompactionPlan plan) {
      long number = nextId++;
      forest =
          forest.apply(
              new ForestEdit.CompactionBegun(1, plan.compaction(number), plan.targetStage()));
      long bytes = plan.inputBytes();
      List<Long> none = List.of();
      forest =
          forest.apply(
              new ForestEdit.CompactionProgressed(
                  1, number, plan.spans().get(0), tree(bytes).ssts(), none));
      forest = forest.withEnded(number);
    }

    private LogicalTree tree(long bytes) {
      long id = nextId++;
      return new LogicalTree(
          id, List.of(ForestDrawing.sst(id, "a-z:" + Math.max(1, bytes / KIB) + "K")));
    }
  }
}
