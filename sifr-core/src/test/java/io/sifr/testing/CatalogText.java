package io.sifr.testing;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
    text.append(' ').append(catalog.logClosed());
    text.append(' ').append(catalog.totals()).append('\n');
    LogHistory history = catalog.history();
    if (history != null) {
      text.append("history ").append(history.retention()).append(history.firstSequence());
      text.append(' ').append(history.segments()).append(' ').append(history.events());
      text.append('\n');
    }
    for (Forest forest : catalog.forests()) {
      text.append(forest.databaseId()).append(' ').append(forest.name());
      text.append(' ').append(forest.options());
      text.append(" flushed to ").append(forest.flushedSequence()).append('\n');
      for (int stage = 1; stage <= forest.stageCount(); stage++) {
        for (LogicalTree tree : forest.stage(stage)) {
          text.append("  S").append(stage).append(" tree ").append(tree.id()).append('\n');
          tree.slices().forEach(slice -> text.append(of(slice)).append('\n'));
        }
      }
      for (Compaction compaction : forest.compactions()) {
        text.append("  compaction ").append(compaction.number());
        text.append(' ').append(compaction.shape());
        text.append(" of ").append(compaction.inputTreeIds());
        text.append(" into ").append(compaction.outputTreeId());
        text.append(" in S").append(forest.stageOf(compaction.outputTreeId()));
        compaction.remaining().forEach(span -> text.append(" remaining ").append(of(span)));
        text.append('\n');
      }
    }
    return text.toString();
  }

  private static String of(KeySpan span) {
    HexFormat hex = HexFormat.of();
    byte[] above = span.above();
    byte[] last = span.last();
    return "("
        + (above == null ? "-" : hex.formatHex(above))
        + ","
        + (last == null ? "-" : hex.formatHex(last))
        + "]";
  }

  private static String of(SstSlice slice) {
    HexFormat hex = HexFormat.of();
    return of(slice.sst().meta())
        + (slice instanceof Sst
            ? ""
            : " from "
                + hex.formatHex(slice.smallestKey())
                + " to "
                + hex.formatHex(slice.largestKey()));
  }

  private static String of(SstMeta meta) {
    HexFormat hex = HexFormat.of();
    return String.format(
        "    %d %016x %d bytes %d-%d entries %d raw %d+%d..%d [%s-%s] %s %s",
        meta.number(),
        meta.uniqueId(),
        meta.fileBytes(),
        meta.entries(),
        meta.tombstones(),
        meta.rawBytes(),
        meta.baseSequence(),
        meta.minSequence(),
        meta.maxSequence(),
        hex.formatHex(meta.smallestKey()),
        hex.formatHex(meta.largestKey()),
        meta.values(),
        of(meta.sketch()));
  }

  private static String of(KeySketch sketch) {
    return IntStream.range(0, sketch.size())
        .mapToObj(i -> Long.toHexString(sketch.get(i)))
        .collect(Collectors.joining(" ", sketch.level() + ":", ""));
  }
}
