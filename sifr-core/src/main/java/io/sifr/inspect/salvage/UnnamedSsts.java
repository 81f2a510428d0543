package io.sifr.inspect.salvage;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.DamagedSst;
import io.sifr.internal.sst.SstMeta;
import java.util.ArrayList;
import java.util.List;

/**
 * SSTs that no edit of the manifest names. Usually they are leftovers: outputs of flushes and
 * merges that did not come to their end, or, when a manifest was written anew, inputs of merges
 * that did. Then they hold nothing that is not elsewhere.
 *
 * <p>But a manifest may also have lost its last edits, without a trace when the file was cut off
 * between two records. Then SSTs are left that hold writes of which the manifest thinks that no SST
 * has them yet, or SSTs that a merge has written whose inputs are gone.
 */
final class UnnamedSsts {
  private final OfflineStore store;
  private final StoreKnowledge knowledge;
  private final List<Long> numbers;

  /** Those that hold nothing but writes newer than what the manifest knows to be in SSTs. */
  private final List<Long> newer = new ArrayList<>();

  /** Whether there is one that holds such writes and others. */
  private boolean isMixed;

  UnnamedSsts(OfflineStore store, StoreKnowledge knowledge) {
    this.store = store;
    this.knowledge = knowledge;
    this.numbers =
        store.numbers(FileKind.SST).stream()
            .filter(number -> !knowledge.namedSsts().contains(number))
            .toList();
    if (knowledge.isWhole()) {
      numbers.forEach(this::look);
    }
  }

  private void look(long number) {
    try (DamagedSst sst = store.openDamagedSst(number, null)) {
      SstMeta meta = sst.meta();
      int database = sst.databaseId();
      if (meta == null || database == 0 || knowledge.dropped().contains(database)) {
        return;
      }
      long flushed = knowledge.flushed().getOrDefault(database, 0L);
      if (meta.minSequence() > flushed) {
        newer.add(number);
      } else {
        isMixed |= meta.maxSequence() > flushed;
      }
    }
  }

  /**
   * Whether the manifest has lost edits although none of its records is damaged: it was cut off
   * between two of them. An SST that is named and missing was deleted by a merge, of which the
   * unnamed ones are what it has written; or it was lost, and then they may hold some of it.
   */
  boolean proveLostEdits() {
    return isMixed || (!numbers.isEmpty() && isNamedMissing());
  }

  private boolean isNamedMissing() {
    return knowledge.ssts().stream().anyMatch(sst -> !store.exists(store.sst(sst.number())));
  }

  /** Those to be taken: all of them where edits are lost; else those that can do no harm. */
  List<SourceSst> taken() {
    return (knowledge.isWhole() ? newer : numbers).stream().map(SourceSst::unnamed).toList();
  }
}
