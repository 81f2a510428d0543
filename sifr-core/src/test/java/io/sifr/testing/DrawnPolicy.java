package io.sifr.testing;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Policies;
import java.util.Random;

/**
 * Draws a policy: one of those that users can choose, or one that says what none of them says. None
 * merges for reads, and none drops what is live.
 */
public final class DrawnPolicy {
  private DrawnPolicy() {}

  /**
   * Any policy, with the sizes that the options have, which are those of a split forest, and its
   * growth factor.
   */
  public static CompactionPicker any(StoreOptions options, Random random) {
    if (random.nextInt(PolicyRules.MERGING.size() + 1) == 0) {
      return PolicyRules.of(new LeveledPolicy(1 + random.nextInt(4), 4096L << random.nextInt(6)));
    }
    int growthFactor = Math.toIntExact(options.compaction().number("growthFactor"));
    return PolicyRules.withReads(
        Policies.of(
            StoreOptions.builder()
                .compaction(TestPolicies.merging(random, growthFactor))
                .maxSpaceAmplification(options.maxSpaceAmplification())
                .writeBufferBytes(options.writeBufferBytes())
                .splitUnitBytes(options.splitUnitBytes())
                .build(),
            8 + random.nextInt(6)));
  }
}
