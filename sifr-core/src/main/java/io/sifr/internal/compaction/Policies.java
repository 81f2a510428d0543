package io.sifr.internal.compaction;

import io.sifr.config.StoreOptions;

/** The policies that a user can choose. */
public final class Policies {
  private Policies() {}

  /** The one that the options say. */
  public static CompactionPolicy of(StoreOptions options) {
    return new SplitForestPolicy(options.growthFactor(), options.mergeTrigger());
  }
}
