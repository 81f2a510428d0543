package io.sifr.testing;

import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.CompactionPolicy;
import io.sifr.internal.compaction.pick.Policies;
import java.util.List;
import java.util.Random;

/**
 * Draws a policy: one of those that users can choose, or one that says what none of them says. None
 * merges for reads.
 */
public final class DrawnPolicy {
  private static final List<MergePolicy> POLICIES = PolicyRules.MERGING;

  private DrawnPolicy() {}

  /** Any policy, with the sizes that the options have. */
  public static CompactionPolicy any(StoreOptions options, Random random) {
    int drawn = random.nextInt(POLICIES.size() + 1);
    return drawn == POLICIES.size()
        ? PolicyRules.of(new LeveledPolicy(1 + random.nextInt(4), 4096L << random.nextInt(6)))
        : PolicyRules.withReads(
            Policies.of(
                StoreOptions.builder()
                    .mergePolicy(POLICIES.get(drawn))
                    .maxSpaceAmplification(options.maxSpaceAmplification())
                    .growthFactor(options.growthFactor())
                    .mergeTrigger(options.mergeTrigger())
                    .writeBufferBytes(options.writeBufferBytes())
                    .splitUnitBytes(options.splitUnitBytes())
                    .firstLevelBytes(4096L << random.nextInt(6))
                    .levelFactor(2 + random.nextInt(6))
                    .guardTrees(1 + random.nextInt(3))
                    .guardBits(8 + random.nextInt(6))
                    .build()));
  }
}
