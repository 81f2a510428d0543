package io.sifr.testing;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.util.Random;

/** Policies for stores of little data. */
public final class TestPolicies {
  /** So that a few hundred keys have guards. */
  public static final int GUARD_BITS = 10;

  private TestPolicies() {}

  /** A policy that merges as many trees of stage 1, and has stages of a few SSTs. */
  public static CompactionPolicy small(CompactionPolicy.Kind kind, int trees) {
    return of(kind, "growthFactor=" + trees, "trees=" + trees, "firstLevel=64KiB", "factor=4");
  }

  /** Those of the parameters that the policy has, each as {@code name=value}. */
  public static CompactionPolicy of(CompactionPolicy.Kind kind, String... parameters) {
    CompactionPolicy policy = CompactionPolicy.of(kind);
    for (String parameter : parameters) {
      String[] nameAndValue = parameter.split("=", 2);
      if (kind.parameters().stream().map(Setting::name).anyMatch(nameAndValue[0]::equals)) {
        policy = policy.with(nameAndValue[0], nameAndValue[1]);
      }
    }
    return policy;
  }

  /** The options, of a split forest, with another growth factor. */
  public static StoreOptions.Builder growing(StoreOptions.Builder options, int growthFactor) {
    CompactionPolicy policy = options.build().compaction();
    return options.compaction(policy.with("growthFactor", Integer.toString(growthFactor)));
  }

  /** Any policy that merges and loses nothing, with parameters of small stores. */
  public static CompactionPolicy merging(Random random, int growthFactor) {
    CompactionPolicy.Kind kind =
        PolicyRules.MERGING.get(random.nextInt(PolicyRules.MERGING.size()));
    return of(
        kind,
        "growthFactor=" + growthFactor,
        "lazy=" + random.nextBoolean(),
        "trees=" + growthFactor,
        "firstLevel=" + (4096L << random.nextInt(6)),
        "factor=" + (2 + random.nextInt(6)),
        "guardTrees=" + (1 + random.nextInt(3)));
  }
}
