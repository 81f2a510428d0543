package io.sifr.internal.engine;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.background.WorkParts.TaskEnvironments;
import io.sifr.internal.compaction.merge.FlushTask;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.Setup;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.WalReplay;
import io.sifr.internal.wal.WalSegmentReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes SSTs again that are lost with a fast directory that does not survive a power failure: from
 * the log, which is retained for that, with the writes that the flush had, and in the place of the
 * lost ones. So the order of the trees stays as it was, and compactions that were under way go on.
 * The new ones lie in the store's directory.
 *
 * <p>The log is read from the oldest of their writes on, and no more than about a write buffer of a
 * database is in memory at a time.
 */
final class LostSsts {
  private static final Logger LOG = LoggerFactory.getLogger(LostSsts.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final CatalogStore catalog;
  private final TaskEnvironments tasks;
  private final Operations.Reader operations = new Operations.Reader();

  /** Those that are not made yet, those that begin first in the log first. */
  private final List<Lost> lost = new ArrayList<>();

  /**
   * @param catalog that has them
   * @param tasks environments of flushes to it
   */
  LostSsts(Setup setup, CatalogStore catalog, TaskEnvironments tasks) {
    this.fileSystem = setup.fileSystem();
    this.directory = setup.directory();
    this.catalog = catalog;
    this.tasks = tasks;
  }

  /**
   * Makes again what is lost. What the log does not have stays lost: that is said by who needs it.
   *
   * @throws StoreFullException if there is no space for it
   */
  void run() {
    LogHistory history = catalog.catalog().history();
    if (history == null) {
      return;
    }
    find(history.firstSequence());
    if (lost.isEmpty()) {
      return;
    }
    LOG.warn("{} SSTs of {} are lost, and are made again from the log", lost.size(), directory);
    try {
      replay(history);
      makeUpTo(Long.MAX_VALUE);
    } catch (StoreFullException e) {
      throw e;
    } catch (SifrException e) {
      LOG.error("{} SSTs cannot be made again", lost.size(), e);
    }
  }

  /** An SST that is lost. */
  private static final class Lost {
    final int databaseId;
    final LogicalTree tree;
    final Sst sst;
    final SstMeta.Logged logged;

    /** What the tree held of it: what is between two slices may be in other SSTs of the tree. */
    final List<Part> parts;

    /** The last write of the database, up to the last one that the SST had, that was found. */
    long found;

    Lost(int databaseId, LogicalTree tree, Sst sst, SstMeta.Logged logged) {
      this.databaseId = databaseId;
      this.tree = tree;
      this.sst = sst;
      this.logged = logged;
      this.parts =
          tree.slices().stream().filter(slice -> slice.sst() == sst).map(Part::of).toList();
    }

    void add(Operations.Reader operation, long sequence) {
      found = sequence;
      for (Part part : parts) {
        if (operation.isRangeDelete()) {
          part.deleteRange(operation.rangeFrom(), operation.rangeTo(), sequence);
        } else if (part.holds(operation)) {
          part.add(operation, sequence);
        }
      }
    }
  }

  /**
   * A slice of a lost SST.
   *
   * @param memtable the writes of which there is something in it
   */
  private record Part(SstSlice slice, Memtable memtable) {
    static Part of(SstSlice slice) {
      return new Part(slice, new Memtable(Memtable.MAX_CAPACITY_BYTES));
    }

    boolean holds(Operations.Reader operation) {
      return compare(slice.smallestKey(), operation) <= 0
          && compare(slice.largestKey(), operation) >= 0;
    }

    private static int compare(byte[] key, Operations.Reader operation) {
      return Bytes.compare(
          key, 0, key.length, operation.array(), operation.keyOffset(), operation.keyLength());
    }

    void add(Operations.Reader operation, long sequence) {
      memtable.add(
          Trailer.of(sequence, operation.kind()),
          operation.array(),
          operation.keyOffset(),
          operation.keyLength(),
          operation.array(),
          operation.valueOffset(),
          operation.valueLength());
    }

    /** As far as it concerns keys of the slice: outside of it, it was applied already. */
    void deleteRange(byte[] from, byte @Nullable [] to, long sequence) {
      byte[] first = slice.smallestKey();
      byte[] begin = Arrays.compareUnsigned(from, first) < 0 ? first : from;
      byte[] end = smaller(to, EntryLimits.endAfter(slice.largestKey()));
      if (end == null || Arrays.compareUnsigned(begin, end) < 0) {
        memtable.deleteRange(begin, end, sequence);
      }
    }

    /** Of two ends; null is none. */
    private static byte @Nullable [] smaller(byte @Nullable [] a, byte @Nullable [] b) {
      if (a == null || b == null) {
        return a == null ? b : a;
      }
      return Arrays.compareUnsigned(a, b) < 0 ? a : b;
    }
  }

  /** Finds those that are lost of which the log has everything. */
  private void find(long firstRetained) {
    for (Forest forest : catalog.catalog().forests()) {
      if (forest.firstLogged() == LogicalTree.NOT_LOGGED) {
        continue;
      }
      for (LogicalTree tree : forest.byPriority()) {
        for (Sst sst : tree.ssts()) {
          SstMeta.Logged logged = sst.meta().logged();
          if (logged != null && logged.after() + 1 >= firstRetained && isLost(sst)) {
            lost.add(new Lost(forest.databaseId(), tree, sst, logged));
          }
        }
      }
    }
    lost.sort(Comparator.comparingLong(each -> each.logged.after()));
  }

  private boolean isLost(Sst sst) {
    Path path = FileKind.SST.path(directory, sst.number());
    return !fileSystem.exists(path) || fileSystem.size(path) != sst.meta().fileBytes();
  }

  private void replay(LogHistory history) {
    long first = lost.stream().mapToLong(each -> each.logged.after() + 1).min().orElseThrow();
    long last = lost.stream().mapToLong(each -> each.logged.upTo()).max().orElseThrow();
    long next = 0;
    for (LogHistory.Segment segment : history.segments()) {
      if (segment.nextSequence() > first && next <= last) {
        replay(segment);
        next = segment.nextSequence();
      }
    }
    if (next <= last) {
      var unused =
          WalReplay.replay(
              fileSystem, directory, catalog.catalog().firstSegment(), this::replayRecord);
    }
  }

  private void replay(LogHistory.Segment segment) {
    try (WalSegmentReader reader = WalSegmentReader.open(fileSystem, directory, segment.number())) {
      while (reader.endOffset() < segment.end() && reader.next() && !reader.isSeal()) {
        reader.visit(this::replayRecord);
      }
      if (reader.endOffset() < segment.end()) {
        throw new CorruptionException(
            reader.path(), reader.endOffset(), "no whole record begins here");
      }
    }
  }

  private void replayRecord(
      long firstSequence, int operationCount, byte[] array, int offset, int length) {
    makeUpTo(firstSequence);
    long sequence = firstSequence;
    try {
      operations.reset(array, offset, length);
      while (operations.next()) {
        for (Lost each : lost) {
          if (sequence <= each.logged.after()) {
            break;
          } else if (each.databaseId == operations.databaseId() && each.logged.has(sequence)) {
            each.add(operations, sequence);
          }
        }
        sequence++;
      }
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(
          directory, 0, "log record of sequence " + firstSequence + ": " + e.getMessage());
    }
  }

  /** Makes those of which all writes are before that one. */
  private void makeUpTo(long sequence) {
    List<Lost> whole = lost.stream().filter(each -> each.logged.upTo() < sequence).toList();
    if (!whole.isEmpty()) {
      whole.forEach(this::make);
      lost.removeAll(whole);
    }
  }

  private void make(Lost each) {
    if (each.found != each.logged.upTo()) {
      throw new CorruptionException(
          FileKind.SST.path(directory, each.sst.number()),
          0,
          String.format(
              "it is lost, and the log, which should have its writes up to %d, has them up to %d",
              each.logged.upTo(), each.found));
    }
    Catalog now = catalog.catalog();
    Forest forest = now.forest(each.databaseId).orElseThrow();
    List<LogicalTree> trees = forest.byPriority();
    int at = trees.stream().map(LogicalTree::id).toList().indexOf(each.tree.id());
    List<LogicalTree> older = trees.subList(at + 1, trees.size());
    List<Sst> made = new ArrayList<>();
    try {
      for (Part part : each.parts) {
        part.memtable.showRangeDeletes();
        made.addAll(
            new FlushTask(tasks.ofFlush(forest), part.memtable, DeadSpans.NONE, new long[0], older)
                .run());
        part.memtable.release();
      }
      fileSystem.syncDirectory(directory);
      catalog.commit(
          List.of(
              new ForestEdit.SstMadeAgain(
                  each.databaseId, each.tree.id(), each.sst.number(), made)));
    } catch (StoreFullException e) {
      made.forEach(sst -> sst.discard(fileSystem, directory));
      throw e;
    } catch (RuntimeException | Error e) {
      made.forEach(sst -> sst.markObsolete(() -> {}));
      throw e;
    }
    fileSystem.reached(StoreCrashPoint.LOST_SST_MADE_AGAIN);
  }
}
