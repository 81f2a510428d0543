package io.sifr.inspect.salvage;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import java.util.ArrayList;
import java.util.List;

/**
 * SSTs that no edit of the manifest names. Usually they are leftovers: outputs of flushes and
 * compactions that did not complete, or, when the manifest was rewritten, inputs of compactions
 * that did. Then everything in them is also elsewhere.
 *
 * <p>But a manifest may also have lost its last edits, without a trace if the file was truncated
 * between two records. Then there are SSTs with writes that, according to the manifest, are in no
 * SST yet, or SSTs written by a compaction whose inputs are gone.
 */
final class UnnamedSsts {
  private final OfflineStore store;
  private final StoreKnowledge knowledge;
  private final List<Long> numbers;

  /** Those that hold only writes newer than what is in SSTs according to the manifest. */
  private final List<Long> newer = new ArrayList<>();

  /** True if there is one that holds both such writes and others. */
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
      if (meta == null || database == 0 || knowledge.databases().dropped().contains(database)) {
        return;
      }
      long flushed = knowledge.databases().flushed().getOrDefault(database, 0L);
      if (meta.minSequence() > flushed) {
        newer.add(number);
      } else {
        isMixed |= meta.maxSequence() > flushed;
      }
    }
  }

  /**
   * Whether the manifest has lost edits although none of its records is damaged: it was truncated
   * between two of them. An SST that is named but missing was deleted by a compaction that wrote
   * the unnamed ones; or it was lost, and then they may hold some of its entries.
   */
  boolean proveLostEdits() {
    return isMixed || (!numbers.isEmpty() && isNamedMissing());
  }

  private boolean isNamedMissing() {
    return knowledge.ssts().stream()
        .anyMatch(sst -> !store.exists(store.path(FileKind.SST, sst.number())));
  }

  /** Those to use: all of them if edits are lost; else those that can do no harm. */
  List<SourceSst> taken() {
    return (knowledge.isWhole() ? newer : numbers).stream().map(SourceSst::unnamed).toList();
  }
}
