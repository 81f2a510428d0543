package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * All stages of one database: the split forest of TPDS §4. Immutable; every edit makes a new one.
 * Safe for any thread.
 *
 * <p>I1: for one user key, every version in a tree of higher priority (lower stage, then newer
 * tree) is newer than every version in a tree of lower priority. It holds because a flush becomes
 * the newest tree of stage 1, and because within the keys that a compaction has still to compact,
 * no other tree with data there lies between its inputs and its output. That is checked after every
 * edit.
 */
public final class Forest {
  /**
   * Stages a forest may have. With the smallest growth factor, 2, the last of them would hold 2^63
   * flushes; a larger number can only come from a damaged file.
   */
  public static final int MAX_STAGES = 64;

  private final int databaseId;
  private final String name;
  private final DatabaseOptions options;

  private final Order order;

  /** The trees that hold something. */
  private final Order stages;

  private final List<LogicalTree> byPriority;
  private final List<Compaction> compactions;
  private final long flushedSequence;

  /** Those of this forest; before they are first used, those of an older one. */
  private volatile Candidates candidates;

  /** True if a query used them. Threads may see that late, which only costs work. */
  private boolean asked;

  private Forest(
      int databaseId,
      String name,
      DatabaseOptions options,
      Order order,
      List<Compaction> compactions,
      long flushedSequence,
      Candidates older) {
    this.databaseId = databaseId;
    this.name = name;
    this.options = options;
    this.order = order;
    this.stages = order.without(tree -> tree.slices().isEmpty());
    this.compactions = compactions;
    this.flushedSequence = flushedSequence;
    this.byPriority = stages.all();
    this.candidates = older;
  }

  public static Forest empty(int databaseId, String name) {
    return new Forest(
        databaseId, name, DatabaseOptions.DEFAULT, Order.NONE, List.of(), 0, Candidates.NONE);
  }

  /** Number that stands for the database in the log and the manifest; never used twice. */
  public int databaseId() {
    return databaseId;
  }

  /** Name the user gave the database. */
  public String name() {
    return name;
  }

  public DatabaseOptions options() {
    return options;
  }

  /**
   * Every write to this database up to this sequence number is in the forest; the log is not needed
   * for it.
   */
  public long flushedSequence() {
    return flushedSequence;
  }

  /** Number of the highest stage that holds a tree; 0 for an empty forest. */
  public int stageCount() {
    return stages.stages().size();
  }

  /** The same, or that of a higher one into which a compaction that has begun writes. */
  public int lastStage() {
    return order.stages().size();
  }

  /** Trees of a stage (1, 2, …), newest first; none for a stage that does not exist yet. */
  public List<LogicalTree> stage(int number) {
    return number <= stageCount() ? stages.stage(number) : List.of();
  }

  /** All trees, highest priority first: stage by stage, newest first. */
  public List<LogicalTree> byPriority() {
    return byPriority;
  }

  /** Finds the SSTs that may hold a key. Made when first used. */
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
   * Makes the candidates if queries used those of the forest before: now, by the thread that
   * applies the edit, rather than in the next query. Without reads they cost nothing.
   */
  public void prepareLike(Forest before) {
    if (before.asked) {
      ownCandidates();
    }
  }

  boolean hasCandidates() {
    return candidates.areOf(byPriority);
  }

  /** Compactions that have begun and not ended. */
  public List<Compaction> compactions() {
    return compactions;
  }

  /** The compaction with that number, if it has begun and not ended. */
  public Optional<Compaction> compaction(long number) {
    return compactions.stream().filter(compaction -> compaction.number() == number).findFirst();
  }

  /**
   * The oldest trees of a stage, newest first: all that are older than those a compaction reads or
   * writes.
   */
  public List<LogicalTree> oldestIdle(int stage) {
    List<LogicalTree> trees = stage(stage);
    int first = trees.size();
    while (first > 0 && !isInUse(trees.get(first - 1))) {
      first--;
    }
    return trees.subList(first, trees.size());
  }

  /**
   * Whether no compaction has still to compact keys of a key range from a stage, into it, or past
   * it.
   */
  public boolean isIdle(int stage, KeySpan span) {
    return compactions.stream()
        .noneMatch(
            compaction ->
                sourceStage(compaction) <= stage
                    && stage <= stageOf(compaction.outputTreeId())
                    && KeySpan.overlap(compaction.remaining(), List.of(span)));
  }

  /** Whether a compaction that has begun reads the tree or writes to it. */
  public boolean isInUse(LogicalTree tree) {
    return compactions.stream().anyMatch(compaction -> compaction.uses(tree.id()));
  }

  /** The trees with those ids, highest priority first. */
  public List<LogicalTree> trees(Collection<Long> ids) {
    return byPriority.stream().filter(tree -> ids.contains(tree.id())).toList();
  }

  /**
   * The stage of a tree, even if the tree is empty and only used by a compaction; 0 when there is
   * no such tree.
   */
  public int stageOf(long treeId) {
    return order.stageOf(treeId);
  }

  /** The stage of the newest input of a compaction that has begun. */
  public int sourceStage(Compaction compaction) {
    return stageOf(compaction.inputTreeIds().get(0));
  }

  /** Whether an SST has range tombstones; answered without I/O. */
  public boolean hasRangeTombstones() {
    return byPriority.stream().anyMatch(LogicalTree::hasRangeTombstones);
  }

  /** Whether there are SSTs all of whose values expire. */
  public boolean expires() {
    return byPriority.stream().anyMatch(tree -> tree.earliestExpiry() != ExpiringKind.NEVER);
  }

  /** All SSTs of all trees. */
  public List<Sst> ssts() {
    return byPriority.stream().flatMap(tree -> tree.ssts().stream()).toList();
  }

  /** Number of all SSTs. */
  public int sstCount() {
    return byPriority.stream().mapToInt(LogicalTree::sstCount).sum();
  }

  /** Whether an SST refers to a value file. */
  public boolean refersToValues() {
    return byPriority.stream().anyMatch(LogicalTree::refersToValues);
  }

  /** What its SSTs refer to in value files. */
  public ValueUses values() {
    ValueUses.Sum sum = new ValueUses.Sum();
    byPriority.forEach(tree -> sum.add(tree.values()));
    return sum.uses();
  }

  /** The smallest of its trees' {@link LogicalTree#firstLogged}. */
  public long firstLogged() {
    return byPriority.stream()
        .mapToLong(LogicalTree::firstLogged)
        .min()
        .orElse(LogicalTree.NOT_LOGGED);
  }

  /** Bytes of all SSTs. */
  public long bytes() {
    return byPriority.stream().mapToLong(LogicalTree::bytes).sum();
  }

  /** This forest, with the note that it holds all writes up to {@code sequence}. */
  public Forest flushedTo(long sequence) {
    return new Forest(
        databaseId,
        name,
        options,
        order,
        compactions,
        Math.max(flushedSequence, sequence),
        candidates);
  }

  Forest with(DatabaseOptions others) {
    return new Forest(databaseId, name, others, order, compactions, flushedSequence, candidates);
  }

  /** A change that leads from one forest to the next. */
  public interface Change {
    /**
     * The forest after it.
     *
     * @throws IllegalArgumentException when it does not fit
     */
    Forest applyTo(Forest forest);
  }

  /** This forest after a change. */
  public Forest apply(Change change) {
    return change.applyTo(this);
  }

  /**
   * This forest with one more tree, the newest of its stage. An empty tree is the output of a
   * compaction that is about to begin.
   *
   * @throws IllegalArgumentException when the stage is not 1 to {@link #MAX_STAGES}, or the tree's
   *     id is in use
   */
  public Forest withTree(int stage, LogicalTree tree) {
    checkArgument(stageOf(tree.id()) == 0, "database %s has a tree %s already", name, tree.id());
    return changed(order.with(stage, 0, List.of(tree)), compactions);
  }

  /**
   * This forest with trees as the oldest of another stage.
   *
   * @throws IllegalArgumentException when a tree does not exist or is in use, or the order of trees
   *     would change (I1)
   */
  Forest withMoved(int stage, List<Long> treeIds) {
    List<LogicalTree> trees = existing(treeIds);
    for (LogicalTree tree : trees) {
      checkArgument(!isInUse(tree), "tree %s is in a compaction", tree.id());
    }
    Order others = order.without(trees::contains);
    int newer = others.stage(stage).size();
    Forest changed = changed(others.with(stage, newer, trees), compactions);
    if (!changed.byPriority.equals(byPriority)) {
      throw new IllegalArgumentException(
          String.format("trees %s would change their order in stage %d", trees, stage));
    }
    return changed;
  }

  /**
   * This forest with a compaction of which nothing is done yet.
   *
   * @throws IllegalArgumentException when an input does not exist, when another compaction owns
   *     some of these keys in one of the trees, when the output is in another stage, or when the
   *     output would come before a newer tree or after an older one (I1)
   */
  Forest withBegun(Compaction compaction, int outputStage) {
    List<Long> inputs = existing(compaction.inputTreeIds()).stream().map(LogicalTree::id).toList();
    if (inputs.isEmpty() || !inputs.equals(compaction.inputTreeIds())) {
      throw new IllegalArgumentException(
          "input trees "
              + compaction.inputTreeIds()
              + " are none, or not in their order "
              + inputs);
    }
    for (Compaction other : compactions) {
      checkArgument(
          other.number() != compaction.number() && !other.conflictsWith(compaction),
          "compaction %s owns trees of compaction %s",
          other.number(),
          compaction.number());
    }
    List<Compaction> more = new ArrayList<>(compactions);
    more.add(compaction);
    int stage = stageOf(compaction.outputTreeId());
    if (stage == 0) {
      LogicalTree output = new LogicalTree(compaction.outputTreeId(), List.of());
      int newer = newerThanInputs(compaction, order.stage(outputStage));
      return changed(order.with(outputStage, newer, List.of(output)), more);
    } else if (stage != outputStage) {
      throw new IllegalArgumentException(
          "output tree " + compaction.outputTreeId() + " is in stage " + stage);
    }
    return changed(order, more);
  }

  /** How many trees of a stage come before the inputs there; 0 when there are none. */
  private static int newerThanInputs(Compaction compaction, List<LogicalTree> stage) {
    for (int i = 0; i < stage.size(); i++) {
      if (compaction.uses(stage.get(i).id())) {
        return i;
      }
    }
    return 0;
  }

  /**
   * This forest after a compaction has processed a key range: its inputs no longer hold it, its
   * output holds what was written and moved (I2).
   *
   * @throws IllegalArgumentException when there is no such compaction, when it no longer owns the
   *     key range, when a moved SST is not wholly in an input, or when what is moved or written
   *     lies outside the key range or overlaps
   */
  Forest withProgress(long number, KeySpan span, List<Sst> written, List<Long> movedSsts) {
    Compaction compaction = known(number);
    List<Sst> added = new ArrayList<>(written);
    added.addAll(moved(compaction, span, movedSsts));
    for (Sst sst : added) {
      checkArgument(
          span.contains(sst.smallestKey(), sst.largestKey()),
          "SST %s lies outside the key range that was compacted",
          sst.number());
    }
    List<Compaction> progressed = new ArrayList<>(compactions);
    progressed.replaceAll(each -> each.number() == number ? each.having(span) : each);
    return changed(
        order.map(
            tree -> {
              boolean isInput = compaction.inputTreeIds().contains(tree.id());
              LogicalTree left = isInput ? tree.without(span) : tree;
              return tree.id() == compaction.outputTreeId() ? left.with(added) : left;
            }),
        progressed);
  }

  /**
   * This forest with other SSTs in the place of one that is lost.
   *
   * @throws IllegalArgumentException when the tree does not exist or does not have it, or they
   *     overlap others
   */
  Forest withReplaced(long treeId, long number, List<Sst> by) {
    checkArgument(stageOf(treeId) > 0, "database %s has no tree %s", name, treeId);
    return withoutUnused(
        order.map(tree -> tree.id() == treeId ? tree.replacing(number, by) : tree), compactions);
  }

  /** SSTs that are moved from the inputs of a compaction. */
  private List<Sst> moved(Compaction compaction, KeySpan span, List<Long> numbers) {
    Map<Long, Sst> movable = new HashMap<>();
    if (!numbers.isEmpty()) {
      for (LogicalTree input : trees(compaction.inputTreeIds())) {
        for (SstSlice slice : input.slicesIn(span)) {
          // A slice of an SST that was partly rewritten cannot be moved.
          if (slice instanceof Sst sst) {
            movable.put(sst.number(), sst);
          }
        }
      }
    }
    List<Sst> moved = new ArrayList<>();
    for (long number : numbers) {
      Sst sst = movable.get(number);
      checkArgument(
          sst != null,
          "moved SST %s is in no input tree, or outside the key range that was compacted",
          number);
      moved.add(sst);
    }
    return moved;
  }

  /**
   * This forest after a compaction that is over.
   *
   * @throws IllegalArgumentException when there is no such compaction
   */
  public Forest withEnded(long number) {
    long ended = known(number).number();
    List<Compaction> left = new ArrayList<>(compactions);
    left.removeIf(each -> each.number() == ended);
    return withoutUnused(order, left);
  }

  /** The changed forest without trees that hold nothing, and that no compaction uses. */
  private Forest withoutUnused(Order changedOrder, List<Compaction> used) {
    return changed(
        changedOrder.without(
            tree ->
                tree.slices().isEmpty() && used.stream().noneMatch(other -> other.uses(tree.id()))),
        used);
  }

  private Compaction known(long number) {
    return compaction(number)
        .orElseThrow(
            () ->
                new IllegalArgumentException("database " + name + " has no compaction " + number));
  }

  /** The trees with those ids, whether they hold something or not, highest priority first. */
  private List<LogicalTree> existing(List<Long> ids) {
    List<LogicalTree> found = order.all().stream().filter(tree -> ids.contains(tree.id())).toList();
    if (found.size() != ids.size()) {
      throw new IllegalArgumentException(
          String.format("database %s has %s of the trees %s", name, found, ids));
    }
    return found;
  }

  /** The changed forest, after I1 is checked. */
  private Forest changed(Order changedOrder, List<Compaction> changedCompactions) {
    List<LogicalTree> trees = changedOrder.all();
    changedCompactions.forEach(
        compaction -> compaction.checkKeepsPriority(trees, changedCompactions));
    return new Forest(
        databaseId,
        name,
        options,
        changedOrder,
        List.copyOf(changedCompactions),
        flushedSequence,
        candidates);
  }

  /** All trees, those that hold nothing included. */
  Order order() {
    return order;
  }

  /**
   * The order of the trees of a forest: those of each stage, newest first. Trees that compactions
   * use stay in it even when they are empty. Immutable.
   *
   * @param stages those of stage 1 first
   */
  record Order(List<List<LogicalTree>> stages) {
    /** The order of a forest without trees. */
    static final Order NONE = new Order(List.of());

    /** A copy that cannot be changed. */
    Order {
      stages = List.copyOf(stages);
    }

    /** All trees, highest priority first. */
    List<LogicalTree> all() {
      List<LogicalTree> all = new ArrayList<>();
      stages.forEach(all::addAll);
      return List.copyOf(all);
    }

    /**
     * The trees of a stage.
     *
     * @throws IllegalArgumentException when it is not 1 to {@link Forest#MAX_STAGES}
     */
    List<LogicalTree> stage(int number) {
      if (number < 1 || number > Forest.MAX_STAGES) {
        throw new IllegalArgumentException(
            "stage is " + number + "; allowed: 1 to " + Forest.MAX_STAGES);
      }
      return number <= stages.size() ? stages.get(number - 1) : List.of();
    }

    /** The stage of the tree with that id; 0 when there is none. */
    int stageOf(long treeId) {
      for (int i = 0; i < stages.size(); i++) {
        if (stages.get(i).stream().anyMatch(tree -> tree.id() == treeId)) {
          return i + 1;
        }
      }
      return 0;
    }

    /**
     * This order with more trees.
     *
     * @param newer how many trees of the stage are newer
     */
    Order with(int stage, int newer, List<LogicalTree> more) {
      List<LogicalTree> trees = new ArrayList<>(stage(stage));
      trees.addAll(newer, more);
      List<List<LogicalTree>> changed = new ArrayList<>(stages);
      while (changed.size() < stage) {
        changed.add(List.of());
      }
      changed.set(stage - 1, List.copyOf(trees));
      return new Order(changed);
    }

    /** This order with each tree replaced. */
    Order map(UnaryOperator<LogicalTree> change) {
      List<List<LogicalTree>> changed = new ArrayList<>(stages.size());
      for (List<LogicalTree> trees : stages) {
        List<LogicalTree> copy = new ArrayList<>(trees);
        copy.replaceAll(change);
        changed.add(List.copyOf(copy));
      }
      return new Order(changed);
    }

    /** This order without some trees. */
    Order without(Predicate<LogicalTree> gone) {
      List<List<LogicalTree>> left = new ArrayList<>();
      int highest = 0;
      for (List<LogicalTree> trees : stages) {
        List<LogicalTree> copy = new ArrayList<>(trees);
        left.add(copy.removeIf(gone) ? List.copyOf(copy) : trees);
        highest = left.get(left.size() - 1).isEmpty() ? highest : left.size();
      }
      return new Order(left.subList(0, highest));
    }
  }
}
