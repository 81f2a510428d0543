package io.sifr.internal.compaction.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.Idle;
import io.sifr.internal.compaction.pick.Picture;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.Reads;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.compaction.run.CompactionQueue.QuietTime;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionQueueTest {
  private static final long NO_LIMIT = Long.MAX_VALUE;
  private static final long UNIT = ForestDrawing.SPLIT_UNIT_BYTES;

  private final List<DatabaseHandle> databases = new ArrayList<>();
  private final AskedPolicy policy = new AskedPolicy();
  private long visible = 1;
  private long nanoTime;
  private final Snapshots snapshots = new Snapshots(() -> visible);
  private final CompactionQueue queue =
      new CompactionQueue(
          PolicyRules.of(policy),
          () -> databases,
          snapshots,
          new QuietTime(() -> visible, () -> 0),
          () -> 0,
          () -> Picture.Upkeep.NONE,
          () -> {});
  private final Lifecycle store = new Lifecycle();

  /** Counts how often it is asked. */
  private static final class AskedPolicy implements Rule.OfStages {
    private final Rule.OfStages policy =
        PolicyRules.stages(
            Policies.of(
                StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build()));
    private int asked;

    @Override
    public List<CompactionPlan> due(Forest forest) {
      asked++;
      return policy.due(forest);
    }

    @Override
    public double score(Forest forest, CompactionPlan plan) {
      return policy.score(forest, plan);
    }

    @Override
    public double debt(Forest forest) {
      return policy.debt(forest);
    }

    @Override
    public int moreFilterBits(Forest forest, int stage) {
      return policy.moreFilterBits(forest, stage);
    }
  }

  private DatabaseHandle database(String name, String drawing) {
    return database(name, ForestDrawing.parse(drawing));
  }

  private DatabaseHandle database(String name, Forest forest) {
    StoreView view = new StoreView(new WriteBuffer(new Memtable(1)), List.of(), forest);
    DatabaseHandle database =
        new DatabaseHandle(store, databases.size() + 1, name, new StoreView.Holder(view));
    databases.add(database);
    return database;
  }

  private String next(long mostBytes) {
    List<CompactionRun.Due> small =
        queue.due().stream().filter(due -> due.inputBytes() <= mostBytes).toList();
    return CompactionQueue.mostUrgent(small)
        .map(due -> due.database() + " " + due.plan().sourceStage())
        .orElse("none");
  }

  private long smallestDue() {
    return queue.due().stream().mapToLong(CompactionRun.Due::inputBytes).min().orElse(NO_LIMIT);
  }

  /** What range tombstones hide is dropped first, as soon as no snapshot sees it. */
  @Test
  void whatIsHiddenIsDroppedFirstAndDependsOnSnapshots(@TempDir Path directory) {
    try (WrittenSsts ssts = new WrittenSsts(directory)) {
      LogicalTree data = new LogicalTree(1, List.of(ssts.write("b1 c2"), ssts.write("x3")));
      Forest forest = Forest.empty(1, "a").withTree(2, data);
      forest = forest.withTree(1, new LogicalTree(2, List.of(ssts.write("y9"))));
      forest = forest.withTree(1, new LogicalTree(3, List.of(ssts.write("y10", "a-d7"))));
      database("a", forest);
      AtomicInteger told = new AtomicInteger();
      snapshots.whenReleased(told::incrementAndGet);
      visible = 2;
      Snapshots.Handle sees = snapshots.acquire();
      visible = 7;
      snapshots.acquire().close();
      assertThat(next(NO_LIMIT)).isEqualTo("a 1");
      snapshots.acquire().close();
      assertThat(told).hasValue(0);
      sees.close();
      assertThat(told).hasValue(1);
      assertThat(next(NO_LIMIT)).isEqualTo("a 2");
      assertThat(smallestDue()).isZero();
    }
  }

  @Test
  void ofTwoAsUrgentAsEachOtherTheSmallerIsNext() {
    database("a", "S1: [e] | S2: [d:64K] [c] | S3: [b] [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("a 2");
    assertThat(next(2 * UNIT - 1)).isEqualTo("a 2");
    assertThat(next(UNIT)).isEqualTo("none");
    assertThat(smallestDue()).isEqualTo(UNIT + (64 << 10));
  }

  /** Else trees would pile up there as long as each flush makes a smaller compaction due. */
  @Test
  void theMostUrgentIsNextHoweverLarge() {
    database("a", "S1: [g:64K] [f:64K] | S2: [e] [d] [c] | S3: [b] [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("a 2");
    assertThat(next(UNIT)).isEqualTo("a 1");
    assertThat(smallestDue()).isEqualTo(128 << 10);
  }

  @Test
  void theMostUrgentOfAllDatabasesIsNext() {
    database("a", "S1: [c:64K] [b:64K] [a:64K]");
    DatabaseHandle b = database("b", "S1: [a] | S2: [e] [d] [c] [b]");
    assertThat(next(NO_LIMIT)).isEqualTo("b 2");
    assertThat(next(UNIT)).isEqualTo("a 1");
    b.markDropped();
    assertThat(next(NO_LIMIT)).isEqualTo("a 1");
  }

  /** With many databases each commit would else cost as much as all their forests together. */
  @Test
  void onlyForestsThatHaveChangedAreLookedAtAgain() {
    DatabaseHandle a = database("a", "S1: [c:64K] [b:64K] [a:64K]");
    for (int i = 0; i < 10; i++) {
      database("other" + i, "S1: [a]");
    }
    for (int i = 0; i < 5; i++) {
      assertThat(next(NO_LIMIT)).isEqualTo("a 1");
    }
    assertThat(policy.asked).isEqualTo(11);
    a.view().update(view -> view.withForest(ForestDrawing.parse("S1: [c]")));
    assertThat(next(NO_LIMIT)).isEqualTo("none");
    assertThat(policy.asked).isEqualTo(12);
  }

  @Test
  void oneThatHasBegunIsResumed() {
    Forest forest = ForestDrawing.parse("S1: [d] [c] [b] [a]");
    database("a", forest.apply(CompactionEdits.begun(9, List.of(3L, 4L), 2)));
    CompactionRun.Due due = queue.due().get(0);
    assertThat(due.plan().begun()).isNotNull();
    assertThat(due.plan().inputs()).extracting(ForestDrawing::print).containsExactly("[b]", "[a]");
  }

  /** Else its trees could not be moved. */
  @Test
  void oneOfWhichNothingIsLeftIsToBeEnded() {
    KeySpan span = CompactionEdits.span("a c");
    Forest forest =
        ForestDrawing.parse("S1: [d] [c] [b] [a]")
            .apply(CompactionEdits.begun(9, List.of(3L, 4L), span, 9, 2));
    DatabaseHandle a = database("a", forest);
    DatabaseHandle b = database("b", forest.apply(CompactionEdits.progress(9, span, List.of())));
    assertThat(queue.largestBegun(a, KeySpan.ALL)).isNotNull();
    assertThat(queue.largestBegun(a, CompactionEdits.span("- b"))).isNotNull();
    assertThat(queue.largestBegun(a, CompactionEdits.span("c -"))).isNull();
    assertThat(queue.largestBegun(b, KeySpan.ALL)).isNotNull();
  }

  /** The policy sees what has begun; what is about to begin only the queue knows. */
  @Test
  void whatConflictsWithOneAtWorkIsNotNext() {
    DatabaseHandle a = database("a", "S1: [d] [c] [b] [a]");
    DatabaseHandle other = database("other", "S1: [b] [a]");
    CompactionRun run = runOf(requested(a, plan(a, 3, 4)));
    queue.began(run);
    assertThat(queue.isActive(requested(a, plan(a, 3, 4)))).isTrue();
    assertThat(queue.isActive(requested(a, plan(a, 2, 3)))).isTrue();
    assertThat(queue.isActive(requested(a, plan(a, 1, 2)))).isFalse();
    assertThat(queue.isActive(requested(other, plan(other, 1, 2)))).isFalse();
    assertThat(next(NO_LIMIT)).isEqualTo("other 1");
    queue.ended(run);
    assertThat(queue.isActive(requested(a, plan(a, 3, 4)))).isFalse();
    assertThat(next(NO_LIMIT)).isEqualTo("a 1");
  }

  @SuppressWarnings("NullAway") // it is only known to the queue, and never works
  private static CompactionRun runOf(CompactionRun.Due due) {
    return new CompactionRun(null, () -> 1, due);
  }

  private static CompactionRun.Due requested(DatabaseHandle database, CompactionPlan plan) {
    return new CompactionRun.Due(database, Proposal.of(Priority.REQUESTED, plan));
  }

  private static CompactionPlan plan(DatabaseHandle database, long... trees) {
    Forest forest = database.view().get().forest();
    List<LogicalTree> inputs = forest.trees(Arrays.stream(trees).boxed().toList());
    return CompactionPlan.intoNewTree(forest, inputs, KeySpan.ALL, 2, Compaction.Shape.MOVES);
  }

  @Test
  void nothingIsDueWhereNoStageIsFull() {
    database("a", "S1: [c] | S2: [b] | S3: [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("none");
    assertThat(smallestDue()).isEqualTo(NO_LIMIT);
  }

  @Test
  void noneAsLargeAsTheLimitIsNext() {
    DatabaseHandle a = database("a", "S1: [e] | S2: [d] [c] | S3: [b] [a:64K]");
    assertThat(queue.close(a)).isTrue();
    assertThat(queue.close(a)).isFalse();
    queue.closeFrom(a, 2 * UNIT);
    assertThat(next(NO_LIMIT)).isEqualTo("a 3");
    queue.closeFrom(a, UNIT);
    assertThat(next(NO_LIMIT)).isEqualTo("none");
    queue.open(a);
    assertThat(next(NO_LIMIT)).isEqualTo("a 3");
    assertThat(queue.largestBegun(a, KeySpan.ALL)).isNull();
  }

  /** The queue of a store in which a single seek that is counted pays for any merge. */
  private CompactionQueue paidByReads(AtomicInteger woken) {
    Compaction.Shape shape = Compaction.Shape.MOVES;
    return new CompactionQueue(
        PolicyRules.withReads(
            PolicyRules.of(policy), new Reads(1e-9, shape), new Idle(shape, 10_000)),
        () -> databases,
        snapshots,
        new QuietTime(() -> visible, () -> nanoTime),
        () -> 0,
        () -> Picture.Upkeep.NONE,
        woken::incrementAndGet);
  }

  @Test
  void anIdleStoreIsMergedWhenNothingElseIsDue() {
    CompactionQueue idle = paidByReads(new AtomicInteger());
    DatabaseHandle a = database("a", "S1: [c] | S2: [b] | S3: [a]");
    assertThat(idle.due()).isEmpty();
    assertThat(idle.untilLook()).isEqualTo(Long.MAX_VALUE);
    a.wastedReads().flushed(2 * UNIT);
    assertThat(idle.due()).isEmpty();
    assertThat(idle.untilLook()).isEqualTo(10_000);

    visible++; // a write, which is seen after nine seconds
    nanoTime += TimeUnit.SECONDS.toNanos(9);
    assertThat(idle.due()).isEmpty();
    assertThat(idle.untilLook()).isEqualTo(10_000);
    nanoTime += TimeUnit.SECONDS.toNanos(9);
    assertThat(idle.due()).isEmpty();
    assertThat(idle.untilLook()).isEqualTo(1_000);
    nanoTime += TimeUnit.SECONDS.toNanos(1);
    CompactionRun.Due due = idle.due().get(0);
    assertThat(idle.untilLook()).isEqualTo(Long.MAX_VALUE);
    assertThat(due.priority().beginsAlone()).isTrue();
    assertThat(due.plan().inputs()).hasSize(2);

    DatabaseHandle other = database("other", "S1: [c] [b] [a]");
    assertThat(idle.due()).extracting(CompactionRun.Due::database).containsExactly(other);
    databases.remove(other);
    due.pay();
    assertThat(idle.due()).isEmpty();
  }

  /** No rule but those of the policy proposes anything, however long nobody writes or reads. */
  @Test
  void anIdleStoreThatMergesNothingIsLeftAlone() {
    StoreOptions fifo = StoreOptions.builder().compaction(CompactionPolicy.fifo(8 * UNIT)).build();
    CompactionQueue idle =
        new CompactionQueue(
            Policies.of(fifo),
            () -> databases,
            snapshots,
            new QuietTime(() -> visible, () -> nanoTime),
            () -> 0,
            () -> Picture.Upkeep.NONE,
            () -> {});
    DatabaseHandle a = database("a", "S1: [h] [g] [f] [e] [d] [c] [b] [a]");
    a.wastedReads().flushed(8 * UNIT);
    for (int i = 0; i < 100; i++) {
      a.wastedReads().sought(8);
    }
    assertThat(idle.due()).isEmpty();
    nanoTime += TimeUnit.SECONDS.toNanos(14);
    assertThat(idle.due()).isEmpty();
    assertThat(idle.untilLook()).isEqualTo(Long.MAX_VALUE);
    assertThat(idle.requested(a, Picture.Request.ALL)).isNull();

    a.view()
        .update(
            view ->
                view.withForest(ForestDrawing.parse("S1: [i] [h] [g] [f] [e] [d] [c] [b] [a]")));
    assertThat(idle.due())
        .singleElement()
        .satisfies(
            due -> {
              assertThat(due.priority()).isEqualTo(Priority.DROP);
              assertThat(due.plan().inputs()).extracting(LogicalTree::id).containsExactly(9L);
            });
  }

  @Test
  void whatIsReadIsMergedWhenNothingElseIsDue() {
    AtomicInteger woken = new AtomicInteger();
    CompactionQueue reads = paidByReads(woken);
    DatabaseHandle a = database("a", "S1: [c] | S2: [b] | S3: [a]");
    DatabaseHandle other = database("other", "S1: [b] [a]");
    a.wastedReads().sought(2);
    assertThat(reads.due())
        .extracting(CompactionRun.Due::priority)
        .containsExactly(Priority.NEEDED);
    other.view().update(view -> view.withForest(ForestDrawing.parse("S1: [b]")));
    CompactionRun.Due due = reads.due().get(0);
    assertThat(due.priority().beginsAlone()).isTrue();
    assertThat(due.plan().inputs()).hasSize(3);
    a.view().update(view -> view.withForest(ForestDrawing.parse("S1: [c]")));
    assertThat(reads.due()).isEmpty();
  }

  /** The policy would take them for trees that nobody uses. */
  @Test
  void nothingBeginsBeforeTheTreesOfSuchAMergeAreMoved() {
    CompactionQueue reads = paidByReads(new AtomicInteger());
    DatabaseHandle a = database("a", "S1: [c] | S2: [b]");
    DatabaseHandle other = database("other", "S1: [b]");
    a.wastedReads().sought(2);
    reads.began(runOf(reads.due().get(0)));
    Forest busy = Forest.empty(1, "default").withTree(1, tree(11)).withTree(1, tree(12));
    a.view().update(view -> view.withForest(busy));
    assertThat(reads.due()).isEmpty();
    other.view().update(view -> view.withForest(busy));
    assertThat(reads.due()).extracting(CompactionRun.Due::database).containsExactly(other);
  }

  @Test
  void aReadWakesOnceTheCreditIsThere() {
    AtomicInteger woken = new AtomicInteger();
    CompactionQueue reads = paidByReads(woken);
    DatabaseHandle a = database("a", "S1: [c] | S2: [b]");
    assertThat(reads.due()).isEmpty();
    a.wastedReads().sought(2);
    a.wastedReads().sought(2);
    assertThat(woken).hasValue(1);
    assertThat(reads.due()).hasSize(1);
    a.wastedReads().sought(2);
    assertThat(woken).hasValue(1);
  }

  private static LogicalTree tree(long id) {
    return new LogicalTree(id, List.of(ForestDrawing.sst(id, "a-c:64K")));
  }

  @Test
  void flushesAreMergedAboveSuchAMerge() {
    CompactionQueue reads = paidByReads(new AtomicInteger());
    DatabaseHandle a = database("a", "S1: [a-c] | S2: [a-c] | S3: [a-c]");
    a.wastedReads().sought(3);
    CompactionRun.Due due = reads.due().get(0);
    Forest forest = a.view().get().forest();
    assertThat(due.plan().gathers()).isTrue();
    List<Long> inputs = due.plan().inputs().stream().map(LogicalTree::id).toList();
    forest = forest.apply(new ForestEdit.TreesMoved(1, 3, inputs));
    forest = forest.apply(new ForestEdit.CompactionBegun(1, due.plan().compaction(90), 3));
    Forest more = forest.withTree(1, tree(11)).withTree(1, tree(12));
    assertThat(policy.due(more))
        .singleElement()
        .satisfies(plan -> assertThat(plan.targetStage()).isEqualTo(2));
  }
}
