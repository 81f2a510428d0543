package io.sifr.inspect.dump;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.WalSegmentReader;
import java.util.Arrays;
import java.util.function.Consumer;

/** Shows a log segment: records with their operations, the seal, and unused space. */
final class LogDump {
  private final Consumer<DumpedRecord> sink;
  private final Operations.Reader operations = new Operations.Reader();

  LogDump(Consumer<DumpedRecord> sink) {
    this.sink = sink;
  }

  void run(OfflineStore store, long number) {
    try (WalSegmentReader reader = store.openSegment(number)) {
      boolean sealed = false;
      int end = reader.endOffset();
      while (!sealed && (reader.next() || nextAfterGap(reader))) {
        show(reader);
        sealed = reader.isSeal();
        end = reader.endOffset();
      }
      if (!sealed) {
        requireNotSynced(reader, end, reader.syncedUpTo(), "the segment's mark");
      }
      int mark = Math.max(end, reader.markOffset());
      sink.accept(new Piece("unused").at(end, mark - end));
      sink.accept(
          new Piece("mark").with("syncedUpTo", reader.syncedUpTo()).at(mark, reader.size() - mark));
    }
  }

  /**
   * Skips bytes that are no record. A power failure leaves such where pages were not synced; if a
   * record after them or the segment's mark says that they were synced, they are damage.
   */
  private boolean nextAfterGap(WalSegmentReader reader) {
    int gap = reader.endOffset();
    if (!reader.findNext()) {
      return false;
    }
    if (reader.mark().segment() == reader.number()) {
      requireNotSynced(reader, gap, reader.mark().offset(), "the one at " + reader.offset());
    }
    requireNotSynced(reader, gap, reader.syncedUpTo(), "the segment's mark");
    sink.accept(new Piece("gap").at(gap, reader.offset() - gap));
    return true;
  }

  private static void requireNotSynced(
      WalSegmentReader reader, int gap, int syncedUpTo, String witness) {
    if (syncedUpTo > gap) {
      throw new CorruptionException(
          reader.path(),
          gap,
          "no whole record begins here, but "
              + witness
              + " tells that the segment was synced up to "
              + syncedUpTo);
    }
  }

  private void show(WalSegmentReader reader) {
    int length = reader.endOffset() - reader.offset();
    Piece piece =
        new Piece(reader.isSeal() ? "seal" : "record")
            .with("firstSequence", reader.firstSequence())
            .with("syncedSegment", reader.mark().segment())
            .with("syncedOffset", reader.mark().offset());
    if (reader.isSeal()) {
      sink.accept(
          piece.with("followingSegment", reader.followingSegment()).at(reader.offset(), length));
      return;
    }
    sink.accept(piece.with("operations", reader.operationCount()).at(reader.offset(), length));
    reader.visit((sequence, count, bytes, from, to) -> showOperations(reader, bytes, from, to));
  }

  private void showOperations(WalSegmentReader reader, byte[] bytes, int from, int length) {
    operations.reset(bytes, from, length);
    long sequence = reader.firstSequence();
    int at = from;
    try {
      while (operations.next()) {
        if (!operations.isRangeDelete()) {
          EntryKinds.STANDARD.requireLogged(operations.kind(), operations.valueLength());
        }
        int end = operations.valueOffset() + operations.valueLength();
        sink.accept(
            operation(sequence++).within(reader.operationsOffset() + (at - from), end - at));
        at = end;
      }
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(
          reader.path(), reader.offset(), "in an intact record, " + e.getMessage());
    }
  }

  private Piece operation(long sequence) {
    if (operations.isRangeDelete()) {
      Piece piece =
          new Piece("range delete")
              .with("sequence", sequence)
              .with("database", operations.databaseId())
              .with("from", operations.rangeFrom());
      byte[] to = operations.rangeTo();
      return to == null ? piece : piece.with("to", to);
    }
    Piece piece =
        new Piece(EntryKinds.STANDARD.ofCode(operations.kind()).toString())
            .with("sequence", sequence)
            .with("database", operations.databaseId())
            .with("key", bytes(operations.keyOffset(), operations.keyLength()));
    return operations.kind() == EntryKind.DELETE.code()
        ? piece
        : piece.with("value", bytes(operations.valueOffset(), operations.valueLength()));
  }

  private byte[] bytes(int offset, int length) {
    return Arrays.copyOfRange(operations.array(), offset, offset + length);
  }
}
