package io.sifr.crash;

import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import java.util.List;
import java.util.Random;

/** What a store is opened with, and what is done to it. */
interface Scenario {
  /** Settings for one opening. */
  StoreOptions options(LogAccess logAccess, Random random);

  /** Steps for a store that holds that state. */
  List<Step> steps(ModelState first, int count, Random random);
}
