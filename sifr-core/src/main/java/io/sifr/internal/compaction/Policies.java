package io.sifr.internal.compaction;

import io.sifr.config.StoreOptions;

/** The policies that a user can choose. */
public final class Policies {
  private Policies() {}

  /** The policy that the options choose. */
  public static CompactionPolicy of(StoreOptions options) {
    return new SplitForestPolicy(options.growthFactor(), options.mergeTrigger());
  }
}
