package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All stages of one database: the split forest of TPDS §4. Immutable; every edit makes a new one.
 * Safe for any thread.
 *
 * <p>I1: for one user key, every version in a place of higher priority (lower stage, then newer
 * tree) is newer than every version in a place of lower priority. It holds because a flush becomes
 * the newest tree of stage 1, because a merge takes the oldest trees of a stage, and because its
 * output becomes the newest tree of the next.
 */
public final class Forest {
  /**
   * Stages a forest may have. With the smallest growth factor, 2, the last of them would hold 2^63
   * flushes; a larger number can only come from a damaged file.
   */
  public static final int MAX_STAGES = 64;

  private static final Comparator<Sst> KEY_ORDER =
      (a, b) -> Arrays.compareUnsigned(a.meta().smallestKey(), b.meta().smallestKey());

  private final int databaseId;
  private final String name;
  private final List<List<LogicalTree>> stages;
  private final List<LogicalTree> byPriority;
  private final long flushedSequence;

  private Forest(
      int databaseId, String name, List<List<LogicalTree>> stages, long flushedSequence) {
    this.databaseId = databaseId;
    this.name = name;
    this.stages = stages;
    this.flushedSequence = flushedSequence;
    this.byPriority = stages.stream().flatMap(List::stream).toList();
  }

  /** The forest of a database nothing has been written to. */
  public static Forest empty(int databaseId, String name) {
    return new Forest(databaseId, name, List.of(), 0);
  }

  /** Number that stands for the database in the log and the manifest; never used twice. */
  public int databaseId() {
    return databaseId;
  }

  /** Name the user gave the database. */
  public String name() {
    return name;
  }

  /**
   * Every write to this database up to this sequence number lies in the forest; the log need not be
   * asked for it.
   */
  public long flushedSequence() {
    return flushedSequence;
  }

  /** Number of the highest stage that holds a tree; 0 for an empty forest. */
  public int stageCount() {
    return stages.size();
  }

  /** Trees of a stage (1, 2, …), newest first; none for a stage that does not exist yet. */
  public List<LogicalTree> stage(int number) {
    return number <= stages.size() ? stages.get(number - 1) : List.of();
  }

  /** All trees, the most believed first: stage by stage, newest first. */
  public List<LogicalTree> byPriority() {
    return byPriority;
  }

  /** All SSTs of all trees. */
  public List<Sst> ssts() {
    return byPriority.stream().flatMap(tree -> tree.ssts().stream()).toList();
  }

  /** Bytes of all SSTs. */
  public long bytes() {
    return byPriority.stream().mapToLong(LogicalTree::bytes).sum();
  }

  /** This forest, knowing that all writes up to {@code sequence} lie in it. */
  public Forest flushedTo(long sequence) {
    return new Forest(databaseId, name, stages, Math.max(flushedSequence, sequence));
  }

  /**
   * This forest with one more tree, the newest of its stage. A tree without SSTs changes nothing.
   *
   * @throws IllegalArgumentException when the stage is not 1 to {@link #MAX_STAGES}, or the tree's
   *     id is in use
   */
  public Forest withTree(int stage, LogicalTree tree) {
    if (stage < 1 || stage > MAX_STAGES) {
      throw new IllegalArgumentException("stage is " + stage + "; allowed: 1 to " + MAX_STAGES);
    }
    if (byPriority.stream().anyMatch(other -> other.id() == tree.id())) {
      throw new IllegalArgumentException(
          "database " + name + " has a tree " + tree.id() + " already");
    }
    if (tree.ssts().isEmpty()) {
      return this;
    }
    List<List<LogicalTree>> changed = new ArrayList<>(stages);
    while (changed.size() < stage) {
      changed.add(List.of());
    }
    List<LogicalTree> trees = new ArrayList<>();
    trees.add(tree);
    trees.addAll(changed.get(stage - 1));
    changed.set(stage - 1, List.copyOf(trees));
    return new Forest(databaseId, name, List.copyOf(changed), flushedSequence);
  }

  /**
   * This forest after a compaction: the input trees are gone, and their moved SSTs together with
   * the written ones are the newest tree of the target stage.
   *
   * @throws IllegalArgumentException when an input tree or a moved SST does not exist, when the
   *     output's id is in use, or when the output would overtake another tree or fall behind one
   *     (I1)
   */
  public Forest withCompaction(ForestEdit.CompactionCommitted compaction) {
    Set<Long> inputIds = new HashSet<>(compaction.inputTreeIds());
    List<LogicalTree> inputs =
        byPriority.stream().filter(tree -> inputIds.contains(tree.id())).toList();
    if (inputs.isEmpty() || inputs.size() != compaction.inputTreeIds().size()) {
      throw new IllegalArgumentException(
          String.format(
              "database %s has the trees %s of the input trees %s",
              name, inputs.stream().map(LogicalTree::id).toList(), compaction.inputTreeIds()));
    }
    if (inputIds.contains(compaction.outputTreeId())) {
      throw new IllegalArgumentException(
          "the output tree has the id of an input tree, " + compaction.outputTreeId());
    }
    checkKeepsPriority(inputIds, compaction.targetStage());
    return without(inputIds)
        .withTree(
            compaction.targetStage(),
            new LogicalTree(compaction.outputTreeId(), outputSsts(compaction, inputs)));
  }

  /**
   * The output takes the place of all inputs at once: a tree that is believed before one of them
   * must be believed before the output, a tree believed after one of them after the output (I1).
   */
  private void checkKeepsPriority(Set<Long> inputIds, int targetStage) {
    int inputsBefore = 0;
    for (int stage = 1; stage <= stages.size(); stage++) {
      for (LogicalTree tree : stage(stage)) {
        if (inputIds.contains(tree.id())) {
          inputsBefore++;
        } else if (inputsBefore != (stage < targetStage ? 0 : inputIds.size())) {
          throw new IllegalArgumentException(
              String.format(
                  "tree %d in stage %d would change its order with the compaction of %s to stage %d",
                  tree.id(), stage, inputIds, targetStage));
        }
      }
    }
  }

  private Forest without(Set<Long> treeIds) {
    List<List<LogicalTree>> kept = new ArrayList<>();
    int highest = 0;
    for (List<LogicalTree> trees : stages) {
      kept.add(trees.stream().filter(tree -> !treeIds.contains(tree.id())).toList());
      if (!kept.get(kept.size() - 1).isEmpty()) {
        highest = kept.size();
      }
    }
    return new Forest(databaseId, name, List.copyOf(kept.subList(0, highest)), flushedSequence);
  }

  private static List<Sst> outputSsts(
      ForestEdit.CompactionCommitted compaction, List<LogicalTree> inputs) {
    Map<Long, Sst> inputSsts = new HashMap<>();
    inputs.forEach(tree -> tree.ssts().forEach(sst -> inputSsts.put(sst.number(), sst)));
    List<Sst> output = new ArrayList<>(compaction.written());
    for (long number : compaction.movedSsts()) {
      Sst moved = inputSsts.get(number);
      if (moved == null) {
        throw new IllegalArgumentException("moved SST " + number + " is in no input tree");
      }
      output.add(moved);
    }
    output.sort(KEY_ORDER);
    return output;
  }
}
