package io.sifr.internal.compaction.pick;

import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Compaction.Shape;

/** The policies that a user can choose. */
public final class Policies {
  private Policies() {}

  /** The policy that the options choose. */
  public static CompactionPolicy of(StoreOptions options) {
    double maxAmplification = options.maxSpaceAmplification();
    CompactionPolicy base = base(options);
    return maxAmplification == 0
        ? base
        : new BoundedSpacePolicy(
            base, maxAmplification, options.writeBufferBytes(), shape(options.mergePolicy()));
  }

  /** As the base policy merges, so that its outputs stay as it wants them. */
  private static Shape shape(MergePolicy policy) {
    return switch (policy) {
      case SPLIT_FOREST, LAZILY_LEVELED, LEVELED -> Shape.MOVES;
      case SIZE_TIERED -> Shape.WHOLE;
      case GUARDED -> Shape.REWRITES;
    };
  }

  private static CompactionPolicy base(StoreOptions options) {
    int factor = options.growthFactor();
    return switch (options.mergePolicy()) {
      case SPLIT_FOREST -> new TieredPolicy(factor, options.mergeTrigger(), Shape.MOVES);
      case SIZE_TIERED -> new TieredPolicy(factor, options.mergeTrigger(), Shape.WHOLE);
      case LAZILY_LEVELED -> new LazilyLeveledPolicy(factor, options.writeBufferBytes());
      case LEVELED ->
          new LeveledPolicy(
              factor, options.firstLevelBytes(), options.levelFactor(), options.splitUnitBytes());
      case GUARDED -> new GuardedPolicy(factor, options.guardTrees(), options.guardBits());
    };
  }
}
