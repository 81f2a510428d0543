package io.sifr.internal.readonly;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.RecordVisitor;
import io.sifr.internal.wal.ReferredValues;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalReplay;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * The part of a log that a recovery would need, in memory, while its writer goes on. Each segment
 * is read from its end to its start, the newest segment first. So the copy contains, with a record,
 * all the records before it, and with the mark that something is synced, what was synced.
 *
 * <p>Not thread-safe.
 */
final class LogCopy {
  private final StoreFileSystem disk;
  private final Path directory;
  private final TreeMap<Long, MemoryFile> segments = new TreeMap<>();

  LogCopy(StoreFileSystem disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
  }

  /** Reads the segments from that one on, except those that were {@link #keepSealed kept}. */
  void read(long first) {
    segments.headMap(first).clear();
    List<Long> present =
        FileKind.WAL.numbersIn(disk, directory).stream()
            .filter(number -> number >= first)
            .sorted(Comparator.reverseOrder())
            .toList();
    for (long number : present) {
      if (!segments.containsKey(number)) {
        try (RandomReadFile file = disk.openForRead(path(number))) {
          segments.put(number, MemoryFile.copyBackwards(path(number), file));
        }
      }
    }
  }

  /** Keeps the segments after which there are others, which do not change any more. */
  void keepSealed() {
    MomentFileSystem alone = new MomentFileSystem(disk, directory);
    addTo(alone);
    try {
      segments.tailMap(segments.isEmpty() ? 0 : replay(alone).endSegment(), true).clear();
    } catch (SifrException e) {
      segments.clear();
    }
  }

  /** Puts the segments into a directory. */
  void addTo(MomentFileSystem files) {
    segments.forEach((number, copy) -> files.add(path(number), copy));
  }

  /** Visits the records. */
  void visit(MomentFileSystem files, RecordVisitor visitor) {
    if (!segments.isEmpty()) {
      var unused = WalReplay.replay(files, directory, segments.firstKey(), visitor);
    }
  }

  /**
   * Cuts the log off at its end, and returns what has to be done to its catalog, so that it is one
   * that was closed there: which is read into write buffers.
   *
   * @param files to which it was added
   * @param values with those to which it refers
   * @throws CorruptionException when it is damaged
   */
  List<ForestEdit> close(MomentFileSystem files, Catalog catalog, ReferredValues values) {
    if (segments.isEmpty() || catalog.logClosed() != null) {
      return List.of();
    }
    long first = segments.firstKey();
    WalReplay.Result log =
        WalReplay.replay(
            files,
            directory,
            segments.firstKey(),
            new RecordVisitor() {
              @Override
              public void visit(long first, int count, byte[] array, int offset, int length) {}

              @Override
              public boolean isWhole(
                  long first, byte[] array, int offset, int length, BooleanSupplier isDurable) {
                return values.areThere(first, array, offset, length, isDurable);
              }
            });
    if (log.records() > 0 && first != catalog.firstSegment()) {
      throw new CorruptionException(path(catalog.firstSegment()), 0, "the log segment is missing");
    }
    segments
        .tailMap(log.endSegment(), false)
        .keySet()
        .forEach(number -> files.delete(path(number)));
    int end = Math.toIntExact(log.endOffset());
    Objects.requireNonNull(segments.get(log.endSegment())).clearFrom(end);
    return List.of(
        new ForestEdit.LogStart(first),
        new ForestEdit.LogClosed(new WalEnd(log.endSegment(), end)));
  }

  /**
   * Whether it contains everything that the forests of a catalog may lack, up to its end, however
   * the catalog was changed since: its first segment is there, and each sequence number belongs to
   * a record, so nothing was ingested or flushed without being logged.
   *
   * @throws CorruptionException when it is damaged
   */
  boolean containsAllSince(Catalog catalog) {
    if (segments.isEmpty() || segments.firstKey() != catalog.firstSegment()) {
      return false;
    }
    MomentFileSystem alone = new MomentFileSystem(disk, directory);
    addTo(alone);
    Gaps gaps = new Gaps(catalog);
    var unused = WalReplay.replay(alone, directory, segments.firstKey(), gaps);
    return !gaps.found;
  }

  /** Looks for sequence numbers that belong to no record. */
  private static final class Gaps implements RecordVisitor {
    private long next;
    private boolean found;

    Gaps(Catalog catalog) {
      for (Forest forest : catalog.forests()) {
        next = Math.max(next, forest.flushedSequence() + 1);
      }
    }

    @Override
    public void visit(long first, int count, byte[] array, int offset, int length) {
      found |= first > next;
      next = first + count;
    }
  }

  private WalReplay.Result replay(MomentFileSystem files) {
    return WalReplay.replay(
        files, directory, segments.firstKey(), (first, count, array, offset, length) -> {});
  }

  private Path path(long segment) {
    return FileKind.WAL.path(directory, segment);
  }
}
