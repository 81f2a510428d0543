package io.sifr.inspect.check;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.RecordVisitor;
import io.sifr.internal.wal.ReferredValues;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalReplay;
import io.sifr.internal.wal.WalSegmentReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log as a recovery would, without applying it. Data after the end of the log is no
 * fault, see {@link WalReplay}; nor are segments with smaller numbers than the first needed one,
 * which wait for reuse, unless the manifest says that they are retained.
 */
final class LogCheck implements AutoCloseable {
  private final OfflineStore store;
  private final Findings findings;
  private final @Nullable Catalog catalog;
  private final Operations.Reader operations = new Operations.Reader();
  private final ValueFiles values;
  private final ReferredValues referred;
  private final Set<Long> valueFiles = new TreeSet<>();
  private long records;

  /**
   * @param catalog the catalog of the manifest, null when unknown
   */
  LogCheck(OfflineStore store, Findings findings, @Nullable Catalog catalog) {
    this.store = store;
    this.findings = findings;
    this.catalog = catalog;
    this.values = store.values();
    this.referred = new ReferredValues(values, this::isInLogAlone);
  }

  /**
   * Reads it.
   *
   * @param segments numbers of all existing segments
   */
  void run(List<Long> segments) {
    checkRetained(segments);
    long needed = catalog == null ? 0 : catalog.firstSegment();
    List<Long> present = segments.stream().filter(number -> number >= needed).toList();
    WalEnd closed = catalog == null ? null : catalog.logClosed();
    if (closed == null && present.isEmpty()) {
      return; // the store was closed, or nothing was logged since the last flush
    }
    for (long segment : present) {
      findings.examine(store.path(FileKind.WAL, segment), () -> checkOperations(segment));
    }
    if (closed != null) {
      findings.examine(
          store.directory(), () -> replay(needed).requireReaches(store.directory(), closed));
      return;
    }
    findings.examine(store.directory(), () -> replay(present.get(0)));
    if (records > 0 && needed > 0 && present.get(0) != needed) {
      // The manifest names a log before its first record: only an empty one may have another
      // number.
      findings.add(store.path(FileKind.WAL, needed), 0, "the segment is needed but missing");
    }
  }

  /** Checks the segments that are only there for readers of changes. */
  private void checkRetained(List<Long> present) {
    LogHistory history = catalog == null ? null : catalog.history();
    if (history == null) {
      return;
    }
    for (LogHistory.Segment retained : history.segments()) {
      Path file = store.path(FileKind.WAL, retained.number());
      if (present.contains(retained.number())) {
        findings.examine(file, () -> checkRetained(retained));
      } else {
        findings.add(file, 0, "the segment is retained but missing");
      }
    }
  }

  private void checkRetained(LogHistory.Segment retained) {
    try (WalSegmentReader reader = store.openSegment(retained.number())) {
      while (reader.endOffset() < retained.end() && reader.next() && !reader.isSeal()) {
        checkRecord(reader);
      }
      if (reader.endOffset() < retained.end()) {
        throw new CorruptionException(
            reader.path(),
            reader.endOffset(),
            "no whole record begins here, but records up to " + retained.end() + " are retained");
      }
    }
  }

  private WalReplay.Result replay(long first) {
    return store.replayLog(
        first,
        new RecordVisitor() {
          @Override
          public void visit(long sequence, int count, byte[] bytes, int offset, int length) {
            records++;
            try {
              referred.visit(sequence, bytes, offset, length, LogCheck.this::checkValue);
            } catch (IllegalArgumentException e) {
              return; // its operations are damaged, as the check of the segment says
            }
          }

          @Override
          public boolean isWhole(
              long sequence, byte[] bytes, int offset, int length, BooleanSupplier isDurable) {
            return referred.areThere(sequence, bytes, offset, length, isDurable);
          }
        });
  }

  private boolean checkValue(Reference reference, byte[] key) {
    Path file = store.path(FileKind.VALUES, reference.file());
    valueFiles.add(reference.file());
    var unused =
        findings.examine(file, () -> values.file(reference.file()).verifyStored(reference, key));
    return true;
  }

  private boolean isInLogAlone(int databaseId, long sequence) {
    return catalog == null
        || catalog
            .forest(databaseId)
            .filter(forest -> sequence > forest.flushedSequence())
            .isPresent();
  }

  /** The value files that are needed because of the log. */
  Set<Long> valueFiles() {
    return valueFiles;
  }

  @Override
  public void close() {
    values.close();
  }

  /** Checks a segment by itself: its header, and the content of its records. */
  private void checkOperations(long segment) {
    try (WalSegmentReader reader = store.openSegment(segment)) {
      while (reader.next()) {
        if (!reader.isSeal()) {
          checkRecord(reader);
        }
      }
    }
  }

  private void checkRecord(WalSegmentReader reader) {
    reader.visit(
        (sequence, count, bytes, offset, length) -> {
          try {
            requireOperations(count, bytes, offset, length);
          } catch (IllegalArgumentException e) {
            throw new CorruptionException(
                reader.path(), reader.offset(), "in an intact record, " + e.getMessage());
          }
        });
  }

  private void requireOperations(int count, byte[] bytes, int offset, int length) {
    operations.reset(bytes, offset, length);
    int found = 0;
    while (operations.next()) {
      if (!operations.isRangeDelete()) {
        EntryKinds.STANDARD.requireLogged(operations.kind(), operations.valueLength());
      }
      found++;
      int database = operations.databaseId();
      if (catalog != null && database >= catalog.nextDatabaseId()) {
        throw new IllegalArgumentException("there never was a database with id " + database);
      }
    }
    if (found != count) {
      throw new IllegalArgumentException(
          "there are " + found + " operations, it tells of " + count);
    }
  }

  /** Number of records that a recovery would see. */
  long records() {
    return records;
  }
}
