package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.LongFunction;

/**
 * Runs of a search for crashes, each with the next seed, until so many of them died at a certain
 * place. If too few come by it, the place is not reached any more.
 */
record RunsUntilReached(String place, long firstSeed, int times) {
  /** Runs that do not come by the place, for one that does. */
  private static final int MOST_TRIES = 600;

  /** One run. */
  interface Run {
    /** Whether it died at the place. */
    boolean dies(CrashSearch search, Random random);
  }

  void run(LongFunction<CrashSearch> searches, Run run) {
    long seed = firstSeed;
    long crashes = 0;
    for (int reached = 0; reached < times; seed++) {
      assertThat(seed - firstSeed)
          .as("runs, of which %d came by %s", reached, place)
          .isLessThan((long) times * MOST_TRIES);
      CrashSearch search = searches.apply(seed);
      try {
        reached += run.dies(search, new Random(seed)) ? 1 : 0;
      } catch (CrashSearch.Found e) {
        throw e.saved();
      }
      crashes += search.images();
    }
    System.out.printf(
        "%s: %d runs died there, %d crashes, seeds %d to %d%n",
        place, times, crashes, firstSeed, seed - 1);
  }
}
