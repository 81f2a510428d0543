package io.sifr.bench.store;

import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A store's own statistics; empty where it has none.
 *
 * @param tableBytes bytes written into tables by flushes and compactions since the store was
 *     opened, without the log; for a store that consists only of a log, that log
 * @param movedBytes bytes of tables that compactions have taken over as they are since the store
 *     was opened
 * @param logBytes bytes appended to the log since the store was opened
 * @param stallMillis milliseconds writers were stalled since the store was opened
 * @param sortedRuns sorted runs a read may have to search now: trees, level-0 files, levels;
 *     without memtables
 * @param spaceAmplification the store's own estimate of the bytes of its tables per byte that would
 *     be left if they were compacted
 */
public record StoreFigures(
    OptionalLong tableBytes,
    OptionalLong movedBytes,
    OptionalLong logBytes,
    OptionalLong stallMillis,
    OptionalInt sortedRuns,
    OptionalDouble spaceAmplification) {

  /** For a store that is one tree and reports nothing else. */
  static final StoreFigures ONE_TREE =
      new StoreFigures(
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalInt.of(1),
          OptionalDouble.empty());
}
