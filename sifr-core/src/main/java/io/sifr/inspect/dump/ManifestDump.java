package io.sifr.inspect.dump;

import io.sifr.config.Compression;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.ForestEdit.Totals;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.manifest.ManifestScan;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.Sst;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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
      sink.accept(edit(group.get(i)).within(at, end - at));
    }
  }

  private static Piece edit(ForestEdit edit) {
    if (edit instanceof ForestEdit.DatabaseCreated created) {
      return new Piece("database created")
          .with("database", created.databaseId())
          .with("name", created.name());
    } else if (edit instanceof ForestEdit.DatabaseDropped dropped) {
      return new Piece("database dropped").with("database", dropped.databaseId());
    } else if (edit instanceof ForestEdit.TreeAdded added) {
      Piece piece =
          new Piece("tree added")
              .with("database", added.databaseId())
              .with("stage", added.stage())
              .with("tree", added.treeId());
      long clipped = added.slices().stream().filter(ClippedSst.class::isInstance).count();
      if (clipped > 0) {
        piece.with("clippedSlices", clipped);
      }
      return withSsts(piece, added.ssts());
    } else if (edit instanceof ForestEdit.DatabaseOptionsSet set) {
      Piece piece = new Piece("database options").with("database", set.databaseId());
      String operator = set.options().mergeOperator();
      if (operator != null) {
        piece.with("mergeOperator", operator);
      }
      Duration expiry = set.options().expireAfter();
      if (expiry != null) {
        piece.with("expireAfter", expiry.toString());
      }
      Compression compression = set.options().compression();
      return compression == null ? piece : piece.with("compression", compression.name());
    } else if (edit instanceof ForestEdit.FlushedTo flushed) {
      return new Piece("flushed to")
          .with("database", flushed.databaseId())
          .with("sequence", flushed.sequence());
    } else if (edit instanceof ForestEdit.TreesMoved moved) {
      return new Piece("trees moved")
          .with("database", moved.databaseId())
          .with("stage", moved.stage())
          .with("trees", numbers(moved.treeIds()));
    } else if (edit instanceof ForestEdit.CompactionBegun begun) {
      return begun(begun);
    } else if (edit instanceof ForestEdit.CompactionProgressed progress) {
      return progress(progress);
    } else if (edit instanceof ForestEdit.CompactionEnded ended) {
      return new Piece("compaction ended")
          .with("database", ended.databaseId())
          .with("compaction", ended.number());
    } else if (edit instanceof ForestEdit.NumbersReserved reserved) {
      return new Piece("numbers reserved").with("next", reserved.next());
    } else if (edit instanceof ForestEdit.DatabaseIdsUsed used) {
      return new Piece("database ids used").with("next", used.next());
    } else if (edit instanceof ForestEdit.SequencesReserved reserved) {
      return new Piece("sequences reserved").with("next", reserved.next());
    } else if (edit instanceof ForestEdit.LogStart start) {
      return new Piece("log start").with("segment", start.firstSegment());
    } else if (edit instanceof ForestEdit.LogClosed closed) {
      return new Piece("log closed")
          .with("segment", closed.lastSegment())
          .with("end", closed.end());
    } else if (edit instanceof ForestEdit.TotalsReached reached) {
      return totals(reached.totals());
    } else if (edit instanceof ForestEdit.LogRetained retained) {
      return new Piece("log retained")
          .with("bytes", retained.retention().bytes())
          .with("seconds", retained.retention().seconds())
          .with("sequence", retained.firstSequence());
    } else if (edit instanceof ForestEdit.SegmentRetained retained) {
      LogHistory.Segment segment = retained.segment();
      return new Piece("segment retained")
          .with("segment", segment.number())
          .with("bytes", segment.bytes())
          .with("end", segment.end())
          .with("nextSequence", segment.nextSequence())
          .with("time", segment.time());
    } else if (edit instanceof ForestEdit.SegmentsGivenBack back) {
      return new Piece("segments given back").with("firstSegment", back.firstSegment());
    } else if (edit instanceof ForestEdit.EventRecorded recorded) {
      return event(recorded.event());
    }
    throw new IllegalArgumentException("unknown edit " + edit);
  }

  private static Piece event(LogEvent event) {
    if (event instanceof LogEvent.Created created) {
      return database("database created event", event, created.databaseId())
          .with("name", created.name());
    } else if (event instanceof LogEvent.Altered altered) {
      return database("database altered event", event, altered.databaseId())
          .with("name", altered.name());
    } else if (event instanceof LogEvent.Dropped dropped) {
      return database("database dropped event", event, dropped.databaseId())
          .with("name", dropped.name());
    } else if (event instanceof LogEvent.Ingested ingested) {
      return database("ingest event", event, ingested.databaseId())
          .with("smallestKey", ingested.keys().first())
          .with("largestKey", ingested.keys().last());
    }
    return new Piece("sequences skipped event")
        .with("sequence", event.sequence())
        .with("next", event.next());
  }

  private static Piece database(String kind, LogEvent event, int databaseId) {
    return new Piece(kind).with("sequence", event.sequence()).with("database", databaseId);
  }

  private static Piece begun(ForestEdit.CompactionBegun begun) {
    Compaction compaction = begun.compaction();
    return new Piece("compaction begun")
        .with("database", begun.databaseId())
        .with("compaction", compaction.number())
        .with("inputTrees", numbers(compaction.inputTreeIds()))
        .with("tree", compaction.outputTreeId())
        .with("stage", begun.outputStage())
        .with("shape", compaction.shape().name().toLowerCase(Locale.ROOT))
        .with("spans", spans(compaction.remaining()));
  }

  private static Piece progress(ForestEdit.CompactionProgressed progress) {
    Piece piece =
        new Piece("compaction progress")
            .with("database", progress.databaseId())
            .with("compaction", progress.number())
            .with("span", span(progress.span()))
            .with("movedSsts", numbers(progress.movedSsts()));
    return withSsts(piece, progress.written());
  }

  private static Piece withSsts(Piece piece, List<Sst> ssts) {
    piece.with("ssts", numbers(ssts.stream().map(Sst::number).toList()));
    if (!ssts.isEmpty()) {
      piece
          .with("entries", ssts.stream().mapToLong(sst -> sst.meta().entries()).sum())
          .with("bytes", ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum())
          .with("smallestKey", ssts.get(0).meta().smallestKey());
      byte[] largest = ssts.get(ssts.size() - 1).meta().largestKey();
      if (!Arrays.equals(largest, EntryLimits.LAST_KEY)) { // which is long, and says nothing
        piece.with("largestKey", largest);
      }
      long ranges = ssts.stream().mapToLong(sst -> sst.meta().rangeTombstones()).sum();
      if (ranges > 0) {
        piece.with("rangeTombstones", ranges);
      }
    }
    return piece;
  }

  private static Piece totals(Totals totals) {
    return new Piece("totals")
        .with("userBytes", totals.userBytes())
        .with("walBytes", totals.walBytes())
        .with("flushBytes", totals.flushBytes())
        .with("compactionBytes", totals.compactionBytes())
        .with("movedBytes", totals.movedBytes())
        .with("stallMillis", totals.stallMillis());
  }

  private static String spans(List<KeySpan> spans) {
    return spans.stream().map(ManifestDump::span).collect(Collectors.joining(" "));
  }

  /**
   * The bounds in hexadecimal digits, the first exclusive, the second inclusive; a dash for no
   * bound.
   */
  private static String span(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    HexFormat hex = HexFormat.of();
    return "("
        + (above == null ? "-" : hex.formatHex(above))
        + ", "
        + (last == null || Arrays.equals(last, EntryLimits.LAST_KEY) ? "-" : hex.formatHex(last))
        + "]";
  }

  private static String numbers(List<Long> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }
}
