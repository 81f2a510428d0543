package io.sifr.inspect.check;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.index.IndexCursorHandle;
import io.sifr.internal.engine.index.Indexes;
import io.sifr.internal.engine.index.OpenIndex;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.readonly.ReadOnlyEngine;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Operators;
import io.sifr.internal.util.KeyText;
import io.sifr.internal.view.Snapshots;
import io.sifr.spi.IndexExtractor;
import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the indexes of a store with the entries that they are to find: reads all entries, asks
 * the extractors, and looks into the indexes; and reads unique indexes for duplicates. What an
 * index has besides is no fault, as reads pass over it; nor is an index that is not built.
 */
final class IndexCheck {
  /** More are counted. */
  private static final int MOST_NAMED = 10;

  private final OfflineStore store;
  private final Findings findings;

  IndexCheck(OfflineStore store, Findings findings) {
    this.store = store;
    this.findings = findings;
  }

  /** Compares those whose extractor is among these. */
  void run(Collection<IndexExtractor> extractors) {
    StoreOptions options = StoreOptions.DEFAULT;
    Extensions extensions =
        Extensions.of(options).with(new Operators(Set.of(), true).withExtractors(extractors));
    ReadOnlyEngine.How how = new ReadOnlyEngine.How(extensions, options, StoreListener.NONE, null);
    try (ReadOnlyEngine opened = ReadOnlyEngine.open(store.fileSystem(), store.directory(), how)) {
      StoreEngine engine = opened.engine();
      Indexes indexes = engine.indexes();
      if (indexes == null) {
        return;
      }
      for (String name : engine.databaseNames()) {
        DatabaseHandle database = engine.database(name);
        for (OpenIndex index : indexes.of(database)) {
          if (index.isBuilt() && index.isKnown()) {
            findings.examine(store.directory(), () -> check(engine, indexes, index));
          }
        }
      }
    }
  }

  private void check(StoreEngine engine, Indexes indexes, OpenIndex index) {
    long missing = 0;
    try (Snapshots.Handle now = engine.acquireSnapshot();
        EntryCursor entries =
            engine.openCursor(index.database(), now.sequence(), null, null, null)) {
      while (entries.next()) {
        byte[] key = entries.key();
        for (byte[] entry : index.entriesOf(key, entries.value())) {
          if (!engine.reads().contains(index.entries(), entry, now.sequence(), null)) {
            missing++;
            if (missing <= MOST_NAMED) {
              findings.add(
                  store.directory(), 0, index + " does not find the key " + KeyText.of(key));
            }
          }
        }
      }
      if (index.options().isUnique()) {
        checkUnique(indexes, index, now.sequence());
      }
    }
    if (missing > MOST_NAMED) {
      findings.add(
          store.directory(), 0, index + " lacks " + missing + " entries: those, and others");
    }
  }

  private void checkUnique(Indexes indexes, OpenIndex index, long sequence) {
    byte @Nullable [] before = null;
    try (IndexCursorHandle cursor = indexes.cursor(index, sequence, null, null)) {
      while (cursor.next()) {
        byte[] indexKey = cursor.indexKey();
        if (before != null && Arrays.equals(before, indexKey)) {
          findings.add(
              store.directory(),
              0,
              "unique " + index + " has the key " + KeyText.of(indexKey) + " twice");
        }
        before = indexKey;
      }
    }
  }
}
