package io.sifr.inspect.dump;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstInspection;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.sst.read.SstReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Shows an SST: blocks with their entries, filter, index, properties, footer. */
final class SstDump {
  private static final List<RangeTombstones.Fragment> NO_RANGES = List.of();

  private SstDump() {}

  static void run(OfflineStore store, long number, Consumer<DumpedRecord> sink) {
    try (SstReader reader = store.openSst(number)) {
      SstInspection.visit(
          reader,
          new SstInspection.Visitor() {
            @Override
            public void block(BlockInfo block) {
              sink.accept(piece(block));
            }

            @Override
            public void entry(long offset, int bytes, EntryIterator at) {
              sink.accept(piece(offset, bytes, at));
            }
          });
      SstLayout layout = SstLayout.of(reader);
      FilterShape filter = layout.shape();
      if (filter != null) {
        sink.accept(
            new Piece("filter")
                .with("bitsPerKey", filter.bitsPerKey())
                .with("blocks", filter.blocks())
                .at(layout.filter().offset(), layout.filter().bytes()));
      }
      sink.accept(
          new Piece("index")
              .with("blocks", layout.blocks())
              .at(layout.index().offset(), layout.index().bytes()));
      sink.accept(properties(reader.meta(), layout));
      RangeTombstones ranges = reader.rangeTombstones();
      for (RangeTombstones.Fragment fragment : ranges == null ? NO_RANGES : ranges.fragments()) {
        sink.accept(
            piece(fragment).within(layout.properties().offset(), layout.properties().bytes()));
      }
      long padding = layout.properties().end();
      sink.accept(new Piece("padding").at(padding, layout.footer().offset() - padding));
      sink.accept(
          new Piece("footer")
              .with("filterOffset", layout.filter().offset())
              .with("indexOffset", layout.index().offset())
              .with("propertiesOffset", layout.properties().offset())
              .with("blocks", layout.blocks())
              .with("fileBytes", reader.meta().fileBytes())
              .at(layout.footer().offset(), layout.footer().bytes()));
    }
  }

  private static DumpedRecord piece(BlockInfo block) {
    return new Piece("block")
        .with("index", block.index())
        .with("pages", block.pages())
        .with("codec", block.encoding().codec())
        .with("storedBytes", block.encoding().payloadBytes())
        .with("rawBytes", block.encoding().rawBytes())
        .with("entries", block.entries())
        .with("firstKey", block.firstKey())
        .at(block.offset(), block.bytes());
  }

  private static DumpedRecord piece(long offset, int bytes, EntryIterator entry) {
    int from = entry.keyOffset();
    byte[] value = new byte[entry.valueLength()];
    entry.copyValue(value, 0);
    Piece piece =
        new Piece(EntryKinds.STANDARD.ofCode(Trailer.kind(entry.trailer())).toString())
            .with("sequence", Trailer.sequence(entry.trailer()))
            .with("key", Arrays.copyOfRange(entry.keyArray(), from, from + entry.keyLength()));
    if (SeparatedKind.is(entry.trailer())) {
      addReference(piece, Reference.decode(ByteBuffer.wrap(value)));
    } else if (!Trailer.isTombstone(entry.trailer())) {
      piece.with("value", value);
    }
    return piece.within(offset, bytes);
  }

  private static void addReference(Piece piece, Reference reference) {
    piece
        .with("valueFile", reference.file())
        .with("offset", reference.offset())
        .with("valueBytes", reference.valueBytes())
        .with("storedBytes", reference.storedBytes());
    if (reference.due() != ExpiringKind.NEVER) {
      piece.with("due", reference.due());
    }
  }

  private static Piece piece(RangeTombstones.Fragment fragment) {
    Piece piece =
        new Piece("range tombstone")
            .with("sequences", Arrays.toString(fragment.sequences()))
            .with("from", fragment.from());
    byte[] to = fragment.to();
    return to == null ? piece : piece.with("to", to);
  }

  private static DumpedRecord properties(SstMeta meta, SstLayout layout) {
    Piece piece =
        new Piece("properties")
            .with("entries", meta.entries())
            .with("tombstones", meta.tombstones());
    if (meta.rangeTombstones() > 0) {
      piece.with("rangeTombstones", meta.rangeTombstones());
    }
    if (!meta.values().isEmpty()) {
      piece.with(
          "valueFiles",
          meta.values().stream()
              .map(use -> use.file() + ": " + use.bytes())
              .collect(Collectors.joining(", ")));
    }
    piece
        .with("rawBytes", meta.rawBytes())
        .with("minSequence", meta.minSequence())
        .with("maxSequence", meta.maxSequence())
        .with("lastWrite", meta.lastWrite())
        .with("smallestKey", meta.smallestKey());
    if (!Arrays.equals(meta.largestKey(), EntryLimits.LAST_KEY)) { // which is long
      piece.with("largestKey", meta.largestKey());
    }
    if (layout.origin().filterPrefix() != null) {
      piece.with("filterPrefix", layout.origin().filterPrefix().toString());
    }
    return piece
        .with("database", layout.origin().databaseId())
        .at(layout.properties().offset(), layout.properties().bytes());
  }
}
