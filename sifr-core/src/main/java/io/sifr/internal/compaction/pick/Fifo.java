package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import java.util.List;
import java.util.function.Consumer;

/**
 * First in, first out: when the trees of a database have more than some bytes, or the last entry of
 * the oldest was written some time ago, that is dropped unread, and so on. Nothing is compacted, so
 * each byte is written once.
 *
 * <p>It is always the oldest that goes. What a newer tree hides, a version or what a tombstone
 * deletes, would else be there again. So a tree of which it is not known when it was written keeps
 * those above it until it goes by its size.
 *
 * @param mostBytes of all trees; the newest stays however large it is
 * @param mostMillis since the last entry of a tree was written; {@link #ANY_AGE} for no limit
 */
record Fifo(long mostBytes, long mostMillis) implements Rule {
  /** Trees are not dropped for their age. */
  static final long ANY_AGE = Long.MAX_VALUE;

  /** The policy that has this rule: nothing is compacted. */
  static CompactionPicker policy(long mostBytes, long mostMillis) {
    return new CompactionPicker(
        List.of(
            new Hidden(),
            new Expired(),
            new Remainder((forest, plan) -> 0),
            new Fifo(mostBytes, mostMillis)));
  }

  @Override
  public Priority priority() {
    return Priority.DROP;
  }

  @Override
  public boolean dropsVisible() {
    return true;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    List<LogicalTree> trees = forest.byPriority();
    if (trees.isEmpty()) {
      return Look.NEVER;
    }
    LogicalTree oldest = trees.get(trees.size() - 1);
    long dropped = dropTime(oldest);
    boolean isTooMuch = trees.size() > 1 && bytes(forest) > mostBytes;
    if (!isTooMuch && dropped > picture.now()) {
      return Look.at(dropped);
    }
    if (!forest.isInUse(oldest)) {
      due.accept(
          Proposal.drop(
              CompactionPlan.into(forest, oldest, List.of(oldest), KeySpan.ALL, Shape.DROPS)));
    }
    return Look.NEVER;
  }

  /** Of all trees, and of what they refer to in value files. */
  private static long bytes(Forest forest) {
    return forest.bytes() + forest.values().referredBytes();
  }

  /** When a tree is too old; {@link Look#NO_NEED} if it never is. */
  private long dropTime(LogicalTree tree) {
    boolean isNever = tree.lastWrite() == 0 || tree.lastWrite() > Look.NO_NEED - mostMillis;
    return isNever ? Look.NO_NEED : tree.lastWrite() + mostMillis;
  }
}
