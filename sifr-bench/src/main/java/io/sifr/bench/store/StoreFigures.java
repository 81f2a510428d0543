package io.sifr.bench.store;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a store tells of itself; empty where it does not.
 *
 * @param tableBytes bytes written into tables by flushes and merges since the store was opened,
 *     without the log; of a store that is nothing but a log, that
 * @param logBytes bytes appended to the log since the store was opened
 * @param stallMillis milliseconds writers were held back since the store was opened
 * @param sortedRuns sorted runs a read may have to ask now: trees, level-0 files, levels; without
 *     what is in memory
 */
public record StoreFigures(
    OptionalLong tableBytes,
    OptionalLong logBytes,
    OptionalLong stallMillis,
    OptionalInt sortedRuns) {

  /** Of a store that is one tree and keeps silent about the rest. */
  static final StoreFigures ONE_TREE =
      new StoreFigures(
          OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalInt.of(1));
}
