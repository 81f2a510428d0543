package io.sifr.inspect.dump;

import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.manifest.ManifestScan;
import io.sifr.internal.offline.OfflineStore;
import java.util.List;
import java.util.function.Consumer;

/** Shows a manifest: records with their edits, and what follows the last whole one. */
final class ManifestDump {
  private final Consumer<DumpedRecord> sink;

  ManifestDump(Consumer<DumpedRecord> sink) {
    this.sink = sink;
  }

  void run(OfflineStore store, long number) {
    long fileBytes = store.size(store.path(FileKind.MANIFEST, number));
    ManifestScan.Result result = store.showManifest(number, this::show);
    if (result.end() < fileBytes) {
      String what = result.isTorn() ? "torn" : "unused";
      sink.accept(new Piece(what).at(result.end(), fileBytes - result.end()));
    }
  }

  private void show(long offset, long bytes, List<ForestEdit> group, List<Long> editOffsets) {
    if (group.isEmpty()) {
      sink.accept(new Piece("synced").at(offset, bytes));
      return;
    }
    sink.accept(new Piece("record").with("edits", group.size()).at(offset, bytes));
    for (int i = 0; i < group.size(); i++) {
      long at = editOffsets.get(i);
      long end = i + 1 < group.size() ? editOffsets.get(i + 1) : offset + bytes;
      sink.accept(new Piece(group.get(i).describe()).within(at, end - at));
    }
  }
}
