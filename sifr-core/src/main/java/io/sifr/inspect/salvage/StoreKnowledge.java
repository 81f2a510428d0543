package io.sifr.inspect.salvage;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.wal.WalEnd;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a store's manifest, as far as that can be read.
 *
 * @param isWhole whether nothing of the manifest is missing: then files it does not name are not
 *     needed
 * @param ssts the SSTs that its trees hold
 * @param namedSsts numbers of all SSTs that it ever named: those not held were merged or dropped
 */
record StoreKnowledge(
    boolean isWhole, Databases databases, Log log, List<SourceSst> ssts, Set<Long> namedSsts) {
  /**
   * The databases that are known, by their ids.
   *
   * @param names names of the databases
   * @param options by database, those that are not the default
   * @param dropped ids of databases that were dropped
   * @param flushed by database, the sequence number up to which the log is not needed
   */
  record Databases(
      Map<Integer, String> names,
      Map<Integer, DatabaseOptions> options,
      Set<Integer> dropped,
      Map<Integer, Long> flushed) {}

  /**
   * The log, as far as it is known.
   *
   * @param firstSegment the first log segment that is needed; 0 when unknown
   * @param closed where the log ends at the earliest; null when unknown
   * @param retainedSegments log segments that are there although no recovery needs them
   */
  record Log(long firstSegment, @Nullable WalEnd closed, Set<Long> retainedSegments) {}

  /** Nothing is known. */
  static final StoreKnowledge NOTHING =
      new StoreKnowledge(
          false,
          new Databases(Map.of(), Map.of(), Set.of(), Map.of()),
          new Log(0, null, Set.of()),
          List.of(),
          Set.of());

  /** As this, for a manifest that has turned out to have lost edits. */
  StoreKnowledge withLostEdits() {
    return new StoreKnowledge(false, databases, log, ssts, namedSsts);
  }
}
