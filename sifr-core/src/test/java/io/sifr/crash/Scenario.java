package io.sifr.crash;

import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import java.util.List;
import java.util.Random;

/** What a store is opened with, and what is done to it. */
interface Scenario {
  /** Settings for one opening. */
  StoreOptions options(LogAccess logAccess, Random random);

  /** The compaction policy of one opening. */
  default CompactionPicker policy(StoreOptions options, Random random) {
    return Policies.of(options);
  }

  /** Numbers that users cannot choose. */
  default Tuning tuning(Random random) {
    return Tuning.DEFAULT.withWriteValuesOnceFrom(1 << random.nextInt(8));
  }

  /** What is merged because it is read. */
  default List<Rule> readRules(Random random) {
    return List.of();
  }

  /**
   * Whether the disk is full now and then: then steps may be refused, which has changed nothing.
   */
  default boolean fillsDisk() {
    return false;
  }

  /** Called before each step. */
  default void changeSpace(CrashDisk disk, Random random) {}

  /** Steps for a store that holds that state. */
  List<Step> steps(ModelState first, int count, Random random);
}
