package io.sifr.internal.compaction.pick;

import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.ValueUses;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.SstSlice;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Bounds the space of values in value files that are overwritten or deleted. A file that nothing
 * refers to any more is deleted at once; one of which something is still needed stays. When all
 * files are larger than what is needed of them by more than a factor, some are <em>emptied</em>:
 * first those that free most bytes for each byte that is copied. The SSTs that refer to them are
 * rewritten where they are, with the values copied to new files and all other references as they
 * are.
 *
 * <p>A few files are emptied at a time, so that the copies take little space beside them.
 *
 * @param maxAmplification bytes of value files per needed byte, above 1
 * @param writeBufferBytes what is needed at least, as for {@link Space}
 */
record ValueSpace(double maxAmplification, long writeBufferBytes) implements Rule {
  /** Files are emptied until that share of what is allowed is free again, or copied. */
  private static final double AT_A_TIME = 0.125;

  /** Writers are slowed when there is so much more than what is allowed. */
  private static final double SLOWED_FROM = 1.25;

  @Override
  public Priority priority() {
    return Priority.SPACE;
  }

  @Override
  public Look propose(Picture picture, Consumer<Proposal> due) {
    Forest forest = picture.forest();
    if (!forest.refersToValues()) {
      return Look.NEVER;
    }
    Garbage garbage = Garbage.of(forest);
    double tooMuch = garbage.bytes() - allowed(garbage);
    if (tooMuch > 0) {
      Set<Long> emptied = emptied(garbage, tooMuch);
      forest.byPriority().forEach(tree -> addEmptying(forest, tree, emptied, due));
    }
    return Look.NEVER;
  }

  @Override
  public double debt(Forest forest) {
    if (!forest.refersToValues()) {
      return 0;
    }
    Garbage garbage = Garbage.of(forest);
    return garbage.bytes() == 0 ? 0 : garbage.bytes() / allowed(garbage) - SLOWED_FROM;
  }

  private double allowed(Garbage garbage) {
    return Space.allowed(maxAmplification, garbage.neededBytes(), writeBufferBytes);
  }

  /** The bytes in value files, and those of them that are not needed. */
  private record Garbage(Collection<ValueUses.File> files, long bytes, long neededBytes) {
    static Garbage of(Forest forest) {
      ValueUses uses = forest.values();
      if (uses.files().isEmpty()) {
        return new Garbage(uses.files(), 0, 0);
      }
      SpaceEstimate estimate = SpaceEstimate.of(forest);
      long bytes = uses.unreferredBytes() + estimate.hiddenValueBytes();
      return new Garbage(uses.files(), bytes, estimate.liveValueBytes());
    }
  }

  /** The files to be emptied. */
  private Set<Long> emptied(Garbage garbage, double tooMuch) {
    double more = AT_A_TIME * allowed(garbage);
    Set<Long> emptied = new HashSet<>();
    double freed = 0;
    double copied = 0;
    for (Victim victim : victims(garbage)) {
      copied += victim.copied();
      boolean isEnough = freed >= tooMuch + more || copied > more;
      if (isEnough && !emptied.isEmpty()) {
        break;
      }
      freed += victim.freed();
      emptied.add(victim.number());
    }
    return emptied;
  }

  /** A file, the bytes to be copied out of it, and those that are free then. */
  private record Victim(long number, long copied, long freed) {
    double copiedPerByteFreed() {
      return (double) copied / freed;
    }
  }

  /** Those whose emptying frees enough for what it costs, the cheapest first. */
  private List<Victim> victims(Garbage garbage) {
    double least = Space.WORTHWHILE * (maxAmplification - 1);
    return garbage.files().stream()
        .map(file -> new Victim(file.number(), file.referredBytes(), file.unreferredBytes()))
        .filter(victim -> victim.freed() > least * victim.copied())
        .sorted(
            Comparator.comparingDouble(Victim::copiedPerByteFreed)
                .thenComparingLong(Victim::number))
        .toList();
  }

  /** Proposes to empty files as far as a tree refers to them. */
  private void addEmptying(
      Forest forest, LogicalTree tree, Set<Long> files, Consumer<Proposal> due) {
    Set<Long> emptied = new HashSet<>();
    long copied = 0;
    for (ValueUses.File file : tree.values().files()) {
      if (files.contains(file.number())) {
        emptied.add(file.number());
        copied += file.referredBytes();
      }
    }
    List<KeySpan> spans =
        emptied.isEmpty() ? List.of() : WholeSlices.spans(tree, slice -> refers(slice, emptied));
    if (!spans.isEmpty()
        && spans.stream().allMatch(span -> WholeSlices.areIdle(forest, tree, span))) {
      CompactionPlan plan = CompactionPlan.emptying(forest, tree, spans, emptied);
      due.accept(new Proposal(plan, priority(), 0, plan.inputBytes() + copied, 0));
    }
  }

  private static boolean refers(SstSlice slice, Set<Long> files) {
    return slice.sst().meta().values().stream().map(ValueUse::file).anyMatch(files::contains);
  }
}
