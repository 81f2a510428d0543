package io.sifr.inspect.salvage;

import io.sifr.internal.forest.ForestEdit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a manifest tells of a store, as far as it can be read.
 *
 * @param isWhole whether nothing of it is missing: then what it does not name is not needed
 * @param names names of the databases by id
 * @param dropped ids of databases that were dropped
 * @param flushed by database, the sequence number up to which the log need not be asked
 * @param firstSegment the first log segment that is needed; 0 when that is not known
 * @param logClosed where the log ends at the earliest; null when that is not known
 * @param ssts the SSTs that its trees hold
 * @param namedSsts numbers of all SSTs that it ever named: those not held were merged or dropped
 */
record StoreKnowledge(
    boolean isWhole,
    Map<Integer, String> names,
    Set<Integer> dropped,
    Map<Integer, Long> flushed,
    long firstSegment,
    ForestEdit.@Nullable LogClosed logClosed,
    List<SourceSst> ssts,
    Set<Long> namedSsts) {
  /** The same, of a manifest that has turned out to have lost edits. */
  StoreKnowledge withLostEdits() {
    return new StoreKnowledge(
        false, names, dropped, flushed, firstSegment, logClosed, ssts, namedSsts);
  }

  /** Nothing is known. */
  static final StoreKnowledge NOTHING =
      new StoreKnowledge(false, Map.of(), Set.of(), Map.of(), 0, null, List.of(), Set.of());
}
