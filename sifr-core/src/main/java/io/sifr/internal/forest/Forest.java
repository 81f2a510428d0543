package io.sifr.internal.forest;

import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All stages of one database: the split forest of TPDS §4. Immutable; every edit makes a new one.
 * Safe for any thread.
 *
 * <p>I1: for one user key, every version in a place of higher priority (lower stage, then newer
 * tree) is newer than every version in a place of lower priority. It holds because a flush becomes
 * the newest tree of stage 1, because a merge takes the oldest trees of a stage, and because its
 * output becomes the newest tree of the next. A merge of all trees gathers them as the oldest of
 * the highest stage first, and its output stays among them.
 */
public final class Forest {
  /**
   * Stages a forest may have. With the smallest growth factor, 2, the last of them would hold 2^63
   * flushes; a larger number can only come from a damaged file.
   */
  public static final int MAX_STAGES = 64;

  private static final Comparator<SstSlice> KEY_ORDER =
      (a, b) -> Arrays.compareUnsigned(a.smallestKey(), b.smallestKey());

  private final int databaseId;
  private final String name;
  private final List<List<LogicalTree>> stages;
  private final List<LogicalTree> byPriority;
  private final List<Compaction> merges;
  private final long flushedSequence;
  private final int[] treesInStages;

  /** Those of this forest; before somebody asked for them, those of an older one. */
  private volatile Candidates candidates;

  /** Whether a query asked for them. Threads may see that late, at the cost of doing more. */
  private boolean asked;

  private Forest(
      int databaseId,
      String name,
      List<List<LogicalTree>> stages,
      List<Compaction> merges,
      long flushedSequence,
      Candidates older) {
    this.databaseId = databaseId;
    this.name = name;
    this.stages = stages;
    this.merges = merges;
    this.flushedSequence = flushedSequence;
    this.treesInStages = treesInStages(stages, merges);
    this.byPriority = stages.stream().flatMap(List::stream).toList();
    this.candidates = older;
  }

  /** Of each stage, without the trees a merge of all has gathered there. */
  private static int[] treesInStages(List<List<LogicalTree>> stages, List<Compaction> merges) {
    Set<Long> gathered = new HashSet<>();
    merges.stream()
        .filter(Compaction::isWithinStage)
        .forEach(merge -> gathered.addAll(merge.inputTreeIds()));
    return stages.stream()
        .mapToInt(
            trees -> (int) trees.stream().filter(tree -> !gathered.contains(tree.id())).count())
        .toArray();
  }

  /** The forest of a database nothing has been written to. */
  public static Forest empty(int databaseId, String name) {
    return new Forest(databaseId, name, List.of(), List.of(), 0, Candidates.NONE);
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

  /**
   * How many trees there are in stages above {@code normal}, all together. Those that a merge of
   * all trees has gathered do not count: they become one whatever comes in.
   */
  public int treesAbove(int normal) {
    int above = 0;
    for (int trees : treesInStages) {
      above += Math.max(0, trees - normal);
    }
    return above;
  }

  /** All trees, the most believed first: stage by stage, newest first. */
  public List<LogicalTree> byPriority() {
    return byPriority;
  }

  /** Finds the SSTs that may hold a key. Made when it is first asked for. */
  public Candidates candidates() {
    if (!asked) {
      asked = true;
    }
    return ownCandidates();
  }

  private Candidates ownCandidates() {
    Candidates known = candidates;
    if (!known.areOf(byPriority)) {
      known = Candidates.of(byPriority, known);
      candidates = known;
    }
    return known;
  }

  /**
   * Makes the candidates if queries asked for those of the forest before: rather now, by the thread
   * that brings the edit, than in the next query. Where nobody reads they cost nothing.
   */
  public void prepareLike(Forest before) {
    if (before.asked) {
      ownCandidates();
    }
  }

  boolean hasCandidates() {
    return candidates.areOf(byPriority);
  }

  /** Merges that have begun and not ended. */
  public List<Compaction> merges() {
    return merges;
  }

  /** The merge that writes the tree with that id, if it is running. */
  public Optional<Compaction> merge(long outputTreeId) {
    return merges.stream().filter(merge -> merge.outputTreeId() == outputTreeId).findFirst();
  }

  /** Trees of a stage that no running merge reads or writes, newest first. */
  public List<LogicalTree> idleTrees(int stage) {
    return stage(stage).stream().filter(tree -> !isInMerge(tree.id())).toList();
  }

  private boolean isInMerge(long treeId) {
    return merges.stream().anyMatch(merge -> merge.uses(treeId));
  }

  /** The trees with those ids, the most believed first. */
  public List<LogicalTree> trees(Collection<Long> ids) {
    return byPriority.stream().filter(tree -> ids.contains(tree.id())).toList();
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
    return new Forest(
        databaseId, name, stages, merges, Math.max(flushedSequence, sequence), candidates);
  }

  /**
   * This forest with one more tree, the newest of its stage. A tree without SSTs changes nothing.
   *
   * @throws IllegalArgumentException when the stage is not 1 to {@link #MAX_STAGES}, or the tree's
   *     id is in use
   */
  public Forest withTree(int stage, LogicalTree tree) {
    checkStage(stage);
    checkIsNew(tree.id());
    return inserting(stage, 0, tree);
  }

  /**
   * @param newer how many trees of the stage are newer
   */
  private Forest inserting(int stage, int newer, LogicalTree tree) {
    if (tree.slices().isEmpty()) {
      return this;
    }
    List<List<LogicalTree>> changed = new ArrayList<>(stages);
    while (changed.size() < stage) {
      changed.add(List.of());
    }
    List<LogicalTree> trees = new ArrayList<>(changed.get(stage - 1));
    trees.add(newer, tree);
    changed.set(stage - 1, List.copyOf(trees));
    return new Forest(databaseId, name, List.copyOf(changed), merges, flushedSequence, candidates);
  }

  private static void checkStage(int stage) {
    if (stage < 1 || stage > MAX_STAGES) {
      throw new IllegalArgumentException("stage is " + stage + "; allowed: 1 to " + MAX_STAGES);
    }
  }

  private void checkIsNew(long treeId) {
    if (merge(treeId).isPresent() || byPriority.stream().anyMatch(tree -> tree.id() == treeId)) {
      throw new IllegalArgumentException("database " + name + " has a tree " + treeId + " already");
    }
  }

  /**
   * This forest after a compaction: the input trees are gone, and their moved SSTs together with
   * the written ones are the newest tree of the target stage.
   *
   * @throws IllegalArgumentException as {@link #withBegun} and {@link #withProgress}
   */
  public Forest withCompaction(ForestEdit.CompactionCommitted compaction) {
    long output = compaction.outputTreeId();
    Forest begun =
        withBegun(
            new ForestEdit.CompactionBegun(
                databaseId, output, compaction.inputTreeIds(), 1, compaction.targetStage(), false));
    return begun.withProgress(
        new ForestEdit.CompactionProgressed(
            databaseId, output, KeySpan.ALL, compaction.written(), compaction.movedSsts()));
  }

  /**
   * This forest with a merge of which nothing is done yet.
   *
   * @throws IllegalArgumentException when an input tree does not exist or is in another merge, when
   *     the output's id is in use, or when the output would overtake another tree or fall behind
   *     one (I1)
   */
  public Forest withBegun(ForestEdit.CompactionBegun begun) {
    List<Long> ids = begun.inputTreeIds();
    List<Long> found = trees(Set.copyOf(ids)).stream().map(LogicalTree::id).toList();
    if (found.isEmpty() || found.size() != ids.size()) {
      throw new IllegalArgumentException(
          String.format("database %s has the trees %s of the input trees %s", name, found, ids));
    }
    if (ids.contains(begun.outputTreeId())) {
      throw new IllegalArgumentException(
          "the output tree has the id of an input tree, " + begun.outputTreeId());
    }
    checkIsNew(begun.outputTreeId());
    checkStage(begun.targetStage());
    checkStage(begun.sourceStage());
    for (long id : ids) {
      if (isInMerge(id)) {
        throw new IllegalArgumentException("input tree " + id + " is in another merge");
      }
    }
    Compaction merge =
        new Compaction(
            begun.outputTreeId(),
            begun.rewritesAll() ? begun.targetStage() : begun.sourceStage(),
            begun.targetStage(),
            begun.rewritesAll(),
            found,
            List.of());
    checkKeepsPriority(merge);
    List<Compaction> more = new ArrayList<>(merges);
    more.add(merge);
    return new Forest(
        databaseId,
        name,
        merge.isWithinStage() ? gathered(merge) : stages,
        List.copyOf(more),
        flushedSequence,
        candidates);
  }

  /** The stages when all inputs of a merge have become the oldest of its stage. */
  private List<List<LogicalTree>> gathered(Compaction merge) {
    List<List<LogicalTree>> changed = new ArrayList<>();
    for (int stage = 1; stage <= Math.max(stages.size(), merge.targetStage()); stage++) {
      List<LogicalTree> trees = new ArrayList<>(stage(stage));
      trees.removeIf(tree -> merge.inputTreeIds().contains(tree.id()));
      if (stage == merge.targetStage()) {
        trees.addAll(trees(merge.inputTreeIds()));
      }
      changed.add(List.copyOf(trees));
    }
    return List.copyOf(changed);
  }

  /**
   * This forest after a merge has come through a span of keys: its inputs do not hold them any
   * more, its output holds what was written and moved (I2). When the inputs hold nothing at all,
   * the merge is over.
   *
   * @throws IllegalArgumentException when there is no such merge, when it came through some of the
   *     span before, when a moved SST is not wholly in an input, when what is moved or written lies
   *     outside the span or overlaps, or when the output would overtake another tree (I1)
   */
  public Forest withProgress(ForestEdit.CompactionProgressed progress) {
    Compaction merge =
        merge(progress.outputTreeId())
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "database " + name + " has no merge " + progress.outputTreeId()));
    // Each time, the last included: trees may have been added since the merge began, and an output
    // that ends up above one of them hides newer data for ever.
    checkKeepsPriority(merge);
    List<LogicalTree> inputs =
        trees(merge.inputTreeIds()).stream()
            .map(tree -> tree.without(progress.span()))
            .filter(tree -> !tree.slices().isEmpty())
            .toList();
    Compaction changed =
        merge.consuming(progress.span(), inputs.stream().map(LogicalTree::id).toList());
    LogicalTree output = new LogicalTree(merge.outputTreeId(), output(merge, progress));
    Forest forest = replacing(merge, inputs);
    forest = forest.inserting(merge.targetStage(), forest.newerThan(merge), output);
    List<Compaction> running = new ArrayList<>(merges);
    if (inputs.isEmpty()) {
      running.remove(merge);
    } else {
      running.set(running.indexOf(merge), changed);
    }
    return new Forest(
        databaseId, name, forest.stages, List.copyOf(running), flushedSequence, candidates);
  }

  /**
   * How many trees of the target stage are newer than the output of a merge: none, unless others
   * have come upon the trees that it has gathered there.
   */
  private int newerThan(Compaction merge) {
    return merge.isWithinStage()
        ? (int) stage(merge.targetStage()).stream().filter(tree -> !merge.uses(tree.id())).count()
        : 0;
  }

  /** What the output tree holds after the progress, ascending. */
  private List<SstSlice> output(Compaction merge, ForestEdit.CompactionProgressed progress) {
    List<Sst> added = new ArrayList<>(progress.written());
    Map<Long, Sst> movable = new HashMap<>();
    for (LogicalTree input : trees(merge.inputTreeIds())) {
      for (SstSlice slice : input.slices()) {
        // What is left of an SST of which the rest was written already cannot be moved.
        if (slice instanceof Sst sst) {
          movable.put(sst.number(), sst);
        }
      }
    }
    for (long number : progress.movedSsts()) {
      Sst moved = movable.get(number);
      if (moved == null) {
        throw new IllegalArgumentException("moved SST " + number + " is in no input tree");
      }
      added.add(moved);
    }
    for (Sst sst : added) {
      if (!progress.span().contains(sst.smallestKey(), sst.largestKey())) {
        throw new IllegalArgumentException(
            "SST " + sst.number() + " lies outside the span that was merged");
      }
    }
    List<SstSlice> output = new ArrayList<>(added);
    trees(List.of(merge.outputTreeId())).forEach(tree -> output.addAll(tree.slices()));
    output.sort(KEY_ORDER);
    return output;
  }

  /**
   * The merge takes the place of all its inputs at once: a tree that is believed before one of them
   * must be believed before all of them and the output, a tree believed after one of them after all
   * (I1).
   */
  private void checkKeepsPriority(Compaction merge) {
    int inputsBefore = 0;
    int lastBefore = merge.isWithinStage() ? merge.targetStage() : merge.targetStage() - 1;
    for (int stage = 1; stage <= stages.size(); stage++) {
      for (LogicalTree tree : stage(stage)) {
        if (merge.inputTreeIds().contains(tree.id())) {
          inputsBefore++;
        } else if (tree.id() != merge.outputTreeId()
            && inputsBefore != (stage <= lastBefore ? 0 : merge.inputTreeIds().size())) {
          throw new IllegalArgumentException(
              String.format(
                  "tree %d in stage %d would change its order with the compaction of %s to stage %d",
                  tree.id(), stage, merge.inputTreeIds(), merge.targetStage()));
        }
      }
    }
  }

  /** This forest without the output of a merge, and with other inputs instead of its own. */
  private Forest replacing(Compaction merge, List<LogicalTree> inputs) {
    Map<Long, LogicalTree> changed = new HashMap<>();
    inputs.forEach(tree -> changed.put(tree.id(), tree));
    List<List<LogicalTree>> kept = new ArrayList<>();
    int highest = 0;
    for (List<LogicalTree> trees : stages) {
      kept.add(
          trees.stream()
              .map(tree -> merge.uses(tree.id()) ? changed.get(tree.id()) : tree)
              .flatMap(Stream::ofNullable)
              .toList());
      if (!kept.get(kept.size() - 1).isEmpty()) {
        highest = kept.size();
      }
    }
    return new Forest(
        databaseId,
        name,
        List.copyOf(kept.subList(0, highest)),
        merges,
        flushedSequence,
        candidates);
  }
}
