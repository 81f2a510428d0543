package io.sifr.internal.compaction.pick;

import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.pick.Rule.Remainder;
import io.sifr.internal.compaction.pick.Rule.Requested;
import io.sifr.internal.forest.Compaction.Shape;
import java.util.ArrayList;
import java.util.List;

/** The policies that a user can choose, as the rules that each of them lists. */
public final class Policies {
  private Policies() {}

  /** The policy that the options choose. */
  public static CompactionPolicy of(StoreOptions options) {
    int factor = options.growthFactor();
    return switch (options.mergePolicy()) {
      case SPLIT_FOREST ->
          merging(
              new Tiered(factor, options.mergeTrigger(), Shape.MOVES),
              Shape.MOVES,
              Shape.MOVES,
              options);
      case SIZE_TIERED ->
          merging(
              new Tiered(factor, options.mergeTrigger(), Shape.WHOLE),
              Shape.WHOLE,
              Shape.WHOLE,
              options);
      case LAZILY_LEVELED ->
          merging(
              new LazilyLeveled(factor, options.writeBufferBytes()),
              Shape.MOVES,
              Shape.MOVES,
              options);
      case LEVELED ->
          merging(
              new Leveled(
                  factor,
                  options.firstLevelBytes(),
                  options.levelFactor(),
                  options.splitUnitBytes()),
              Shape.MOVES,
              Shape.MOVES,
              options);
      case GUARDED ->
          merging(
              new Guarded(factor, options.guardTrees(), options.guardBits()),
              Shape.REWRITES,
              Shape.MOVES,
              options);
      case FIFO ->
          new CompactionPolicy(
              List.of(
                  new Hidden(),
                  new Expired(),
                  new Remainder((forest, plan) -> 0),
                  new Fifo(options.fifoBytes())));
    };
  }

  /**
   * A policy that may merge any trees.
   *
   * @param stages the rule that it is known for
   * @param forSpace what becomes of SSTs that are merged to free space: so that the rule finds them
   *     as it wants them
   * @param forReads … because they are read
   */
  private static CompactionPolicy merging(
      Rule.OfStages stages, Shape forSpace, Shape forReads, StoreOptions options) {
    List<Rule> rules = new ArrayList<>(always(stages));
    if (options.maxSpaceAmplification() != 0) {
      rules.add(new Space(options.maxSpaceAmplification(), options.writeBufferBytes(), forSpace));
    }
    if (options.readCompactionBytesPerSecond() != 0) {
      rules.add(new Reads(Codecs.of(options.compression()).price(), forReads));
      rules.add(new Idle(forReads, Idle.MILLIS));
    }
    return new CompactionPolicy(rules);
  }

  /** The rules of each policy that merges, whatever the options. */
  public static List<Rule> always(Rule.OfStages stages) {
    return List.of(
        new Hidden(), new Expired(), new Remainder(stages::score), stages, new Requested());
  }
}
