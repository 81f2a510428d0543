package io.sifr.testing;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.SstMeta;
import java.util.HexFormat;

/** Everything a catalog holds, as text: two are equal when their texts are. */
public final class CatalogText {
  private CatalogText() {}

  /** The text of a catalog. */
  public static String of(Catalog catalog) {
    StringBuilder text = new StringBuilder();
    text.append("database ").append(catalog.nextDatabaseId());
    text.append(" number ").append(catalog.nextNumber());
    text.append(" sequence ").append(catalog.nextSequence());
    text.append(" segment ").append(catalog.firstSegment());
    text.append(' ').append(catalog.totals()).append('\n');
    for (Forest forest : catalog.forests()) {
      text.append(forest.databaseId()).append(' ').append(forest.name());
      text.append(" flushed to ").append(forest.flushedSequence()).append('\n');
      for (int stage = 1; stage <= forest.stageCount(); stage++) {
        for (LogicalTree tree : forest.stage(stage)) {
          text.append("  S").append(stage).append(" tree ").append(tree.id()).append('\n');
          tree.ssts().forEach(sst -> text.append(of(sst.meta())).append('\n'));
        }
      }
    }
    return text.toString();
  }

  private static String of(SstMeta meta) {
    HexFormat hex = HexFormat.of();
    return String.format(
        "    %d %016x %d bytes %d-%d entries %d raw %d..%d [%s-%s]",
        meta.number(),
        meta.uniqueId(),
        meta.fileBytes(),
        meta.entries(),
        meta.tombstones(),
        meta.rawBytes(),
        meta.minSequence(),
        meta.maxSequence(),
        hex.formatHex(meta.smallestKey()),
        hex.formatHex(meta.largestKey()));
  }
}
