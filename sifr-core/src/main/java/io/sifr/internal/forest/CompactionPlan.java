package io.sifr.internal.forest;

import io.sifr.event.CompactionReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The trees, their key ranges and the output tree of a compaction. Fixed when the compaction
 * begins, so that its decisions do not depend on what happens meanwhile.
 *
 * @param begun the compaction that is to be resumed; null for a new one
 * @param from the trees to compact
 * @param output id of an existing tree to which the output is added: the last input, or one that
 *     holds nothing in the key ranges; null: a new tree
 * @param stages where the first input is, and the output
 * @param shape what becomes of the inputs
 * @param reason why it runs
 * @param gathers whether the inputs become the oldest trees of the target stage when it begins, so
 *     that no other stage has to wait for its end
 */
public record CompactionPlan(
    @Nullable Compaction begun,
    Inputs from,
    @Nullable Long output,
    Stages stages,
    Compaction.Shape shape,
    CompactionReason reason,
    boolean gathers) {
  /**
   * The trees that are compacted.
   *
   * @param trees trees to compact, highest priority first
   * @param spans which of their keys, ascending and disjoint
   * @param older trees of lower priority: as long as one of them may hold a key, a tombstone for it
   *     must stay. Compactions among them cannot add keys that they do not hold now, so the list
   *     stays valid
   * @param newer trees of higher priority, of which the range tombstones may hide what the inputs
   *     hold; as long as these hold it, the range tombstones stay
   * @param emptied value files, out of which values are copied that the trees refer to. The
   *     manifest does not know of them: if the compaction is resumed, what it has not copied yet
   *     stays there
   */
  public record Inputs(
      List<LogicalTree> trees,
      List<KeySpan> spans,
      List<LogicalTree> older,
      List<LogicalTree> newer,
      Set<Long> emptied) {
    /** Without value files that are emptied. */
    public Inputs(
        List<LogicalTree> trees,
        List<KeySpan> spans,
        List<LogicalTree> older,
        List<LogicalTree> newer) {
      this(trees, spans, older, newer, Set.of());
    }

    /** A copy that cannot be changed. */
    public Inputs {
      trees = List.copyOf(trees);
      spans = List.copyOf(spans);
      older = List.copyOf(older);
      newer = List.copyOf(newer);
      emptied = Set.copyOf(emptied);
    }

    private static Inputs of(
        Forest forest, List<LogicalTree> trees, List<KeySpan> spans, @Nullable Long output) {
      return new Inputs(trees, spans, olderThan(trees, forest, output), newerThan(forest, trees));
    }
  }

  /** The stage of the first input, and that of the output. */
  public record Stages(int source, int target) {}

  /** The trees to compact, highest priority first. */
  public List<LogicalTree> inputs() {
    return from.trees;
  }

  /** Which of their keys, ascending and disjoint. */
  public List<KeySpan> spans() {
    return from.spans;
  }

  /** The trees of lower priority than the inputs, see {@link Inputs#older}. */
  public List<LogicalTree> older() {
    return from.older;
  }

  /** The trees of higher priority with range tombstones, see {@link Inputs#newer}. */
  public List<LogicalTree> newer() {
    return from.newer;
  }

  /** The value files that are emptied, see {@link Inputs#emptied}. */
  public Set<Long> emptied() {
    return from.emptied;
  }

  /** The stage of the first input. */
  public int sourceStage() {
    return stages.source;
  }

  /** The stage of the output. */
  public int targetStage() {
    return stages.target;
  }

  /** Compacts what trees hold in a key range into a new tree of a stage. */
  public static CompactionPlan intoNewTree(
      Forest forest,
      List<LogicalTree> inputs,
      KeySpan span,
      int targetStage,
      Compaction.Shape shape) {
    return starting(forest, null, inputs, List.of(span), targetStage, shape);
  }

  /** Compacts what trees hold in a key range into an existing tree. */
  public static CompactionPlan into(
      Forest forest,
      LogicalTree output,
      List<LogicalTree> inputs,
      KeySpan span,
      Compaction.Shape shape) {
    return starting(forest, output.id(), inputs, List.of(span), forest.stageOf(output.id()), shape);
  }

  /** Compacts parts of a tree where they are. */
  public static CompactionPlan within(
      Forest forest, LogicalTree tree, List<KeySpan> spans, Compaction.Shape shape) {
    return starting(forest, tree.id(), List.of(tree), spans, forest.stageOf(tree.id()), shape);
  }

  /** Rewrites parts of a tree where they are, and copies values out of value files. */
  public static CompactionPlan emptying(
      Forest forest, LogicalTree tree, List<KeySpan> spans, Set<Long> files) {
    CompactionPlan plan = within(forest, tree, spans, Compaction.Shape.REWRITES);
    return new CompactionPlan(
        null,
        new Inputs(plan.inputs(), spans, plan.older(), plan.newer(), files),
        plan.output,
        plan.stages,
        plan.shape,
        CompactionReason.VALUE_FILES,
        false);
  }

  private static CompactionPlan starting(
      Forest forest,
      @Nullable Long output,
      List<LogicalTree> inputs,
      List<KeySpan> spans,
      int targetStage,
      Compaction.Shape shape) {
    int sourceStage = forest.stageOf(inputs.get(0).id());
    return new CompactionPlan(
        null,
        Inputs.of(forest, inputs, spans, output),
        output,
        new Stages(sourceStage, targetStage),
        shape,
        CompactionReason.STAGE_FULL,
        false);
  }

  /** The same compaction for another reason than a full stage. */
  public CompactionPlan because(CompactionReason other) {
    return new CompactionPlan(begun, from, output, stages, shape, other, gathers);
  }

  /**
   * Compacts the oldest trees of a forest into one, which becomes the oldest of the highest stage
   * in use, but at least of stage 2, because flushes add trees to stage 1 meanwhile.
   */
  public static CompactionPlan gathering(
      Forest forest, List<LogicalTree> oldest, Compaction.Shape shape) {
    int stage = Math.max(2, forest.stageCount());
    return intoNewTree(forest, oldest, KeySpan.ALL, stage, shape).gathering();
  }

  /** Compacts all trees of the stages up to one into one of that stage, because they are read. */
  public static CompactionPlan forReads(
      Forest forest, List<LogicalTree> trees, int stage, Compaction.Shape shape) {
    CompactionPlan plan =
        intoNewTree(forest, trees, KeySpan.ALL, stage, shape).because(CompactionReason.READS);
    return plan.sourceStage() == stage ? plan : plan.gathering();
  }

  /** Compacts what trees hold in a key range into the oldest of them, because it is read. */
  public static CompactionPlan forReads(
      Forest forest, List<LogicalTree> trees, KeySpan span, Compaction.Shape shape) {
    LogicalTree oldest = trees.get(trees.size() - 1);
    return into(forest, oldest, trees, span, shape).because(CompactionReason.READS);
  }

  private CompactionPlan gathering() {
    return new CompactionPlan(begun, from, output, stages, shape, reason, true);
  }

  /**
   * Rewrites all trees of a forest as one, because a caller requests it.
   *
   * @return null if there is none
   */
  public static @Nullable CompactionPlan ofAll(Forest forest) {
    List<LogicalTree> trees = forest.byPriority();
    return trees.isEmpty()
        ? null
        : gathering(forest, trees, Compaction.Shape.REWRITES).because(CompactionReason.REQUESTED);
  }

  /**
   * The next step of compacting all that a forest holds in a key range, for a caller: what the
   * lowest stage that holds anything there does is compacted with the newest tree of the next one
   * that does, or with all of them if these are the last. Nothing is added to other trees, so no
   * policy finds more trees in a stage than before.
   *
   * @param fromStage stages below it do not count
   * @return null if there is nothing
   */
  public static @Nullable CompactionPlan downwards(Forest forest, KeySpan span, int fromStage) {
    List<LogicalTree> there =
        forest.byPriority().stream()
            .filter(tree -> forest.stageOf(tree.id()) >= fromStage && tree.holdsIn(span))
            .toList();
    if (there.isEmpty()) {
      return null;
    }
    List<Integer> stages = there.stream().map(tree -> forest.stageOf(tree.id())).toList();
    int end = stages.lastIndexOf(stages.get(0)) + 1;
    boolean isLast = end == there.size() || stages.get(end).equals(stages.get(there.size() - 1));
    List<LogicalTree> inputs = isLast ? there : there.subList(0, end + 1);
    LogicalTree output = inputs.get(inputs.size() - 1);
    return into(forest, output, inputs, span, Compaction.Shape.REWRITES)
        .because(CompactionReason.REQUESTED);
  }

  /** Resumes a compaction. */
  public static CompactionPlan remainder(Forest forest, Compaction begun) {
    List<LogicalTree> inputs = forest.trees(begun.inputTreeIds());
    return new CompactionPlan(
        begun,
        Inputs.of(forest, inputs, begun.remaining(), begun.outputTreeId()),
        begun.outputTreeId(),
        new Stages(forest.sourceStage(begun), forest.stageOf(begun.outputTreeId())),
        begun.shape(),
        CompactionReason.RESUMED,
        false);
  }

  /**
   * All trees after the first input except the inputs and the output, which holds nothing else in
   * the key ranges.
   */
  private static List<LogicalTree> olderThan(
      List<LogicalTree> inputs, Forest forest, @Nullable Long output) {
    List<LogicalTree> trees = forest.byPriority();
    int first = inputs.isEmpty() ? trees.size() : trees.indexOf(inputs.get(0));
    List<LogicalTree> older = new ArrayList<>(trees.subList(first, trees.size()));
    older.removeAll(inputs);
    older.removeIf(tree -> output != null && tree.id() == output);
    return older;
  }

  /** All trees before the first input that have range tombstones. */
  private static List<LogicalTree> newerThan(Forest forest, List<LogicalTree> inputs) {
    if (inputs.isEmpty() || !forest.hasRangeTombstones()) {
      return List.of();
    }
    List<LogicalTree> trees = forest.byPriority();
    return trees.subList(0, trees.indexOf(inputs.get(0))).stream()
        .filter(LogicalTree::hasRangeTombstones)
        .toList();
  }

  /**
   * The compaction as it is recorded in the manifest.
   *
   * @param number its number, and that of its output tree if that is new
   */
  public Compaction compaction(long number) {
    if (begun != null) {
      return begun;
    }
    List<Long> ids = from.trees.stream().map(LogicalTree::id).toList();
    return new Compaction(number, ids, output == null ? number : output, shape, from.spans);
  }

  /** Whether both use some tree within the same keys, so that they cannot run side by side. */
  public boolean conflictsWith(CompactionPlan other) {
    Set<Long> shared = trees();
    shared.retainAll(other.trees());
    return !shared.isEmpty() && KeySpan.overlap(from.spans, other.from.spans);
  }

  private Set<Long> trees() {
    Set<Long> ids = new HashSet<>();
    from.trees.forEach(tree -> ids.add(tree.id()));
    if (output != null) {
      ids.add(output);
    }
    return ids;
  }

  /** SSTs that it reads or moves, whole or in part. */
  public int inputSsts() {
    return parts().mapToInt(LogicalTree::sstCount).sum();
  }

  /** Bytes of those: about the amount of work. */
  public long inputBytes() {
    return parts().mapToLong(LogicalTree::bytes).sum();
  }

  private Stream<LogicalTree> parts() {
    return from.trees.stream().flatMap(tree -> from.spans.stream().map(tree::within));
  }
}
