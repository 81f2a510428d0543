package io.sifr.internal.compaction.merge;

import io.sifr.config.KeyPrefix;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.FilteredIterator;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.JoinedVersions;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the store that the tasks of flushes and compactions need.
 *
 * @param files where SSTs are made
 * @param output what SSTs are like
 * @param entries what is written to them
 * @param progress is notified, and may stop the task
 */
public record TaskEnvironment(Files files, Output output, Entries entries, Progress progress) {
  /**
   * The files in which SSTs are made.
   *
   * @param fileSystem of the store
   * @param directory in which they are created: the store's, or one on another device
   * @param access opens the SSTs that were made
   * @param numbers source of file numbers, none twice
   * @param uniqueIds source of random ids
   * @param logged the part of the log that has what they have, if they may be lost; else null
   */
  public record Files(
      StoreFileSystem fileSystem,
      Path directory,
      SstAccess access,
      LongSupplier numbers,
      LongSupplier uniqueIds,
      SstMeta.@Nullable Logged logged) {
    /** Files that last. */
    public Files(
        StoreFileSystem fileSystem,
        Path directory,
        SstAccess access,
        LongSupplier numbers,
        LongSupplier uniqueIds) {
      this(fileSystem, directory, access, numbers, uniqueIds, null);
    }

    /** Whether an SST is where the task would write it, so that it need not be rewritten. */
    boolean isInPlace(Sst sst) {
      return fileSystem.isInPlace(access.path(sst.number()), directory);
    }
  }

  /**
   * The form of SSTs.
   *
   * @param databaseId the database that they are made for
   * @param codec encodes their blocks
   * @param filterBitsPerKey bits per key of their filters; 0 for no filters
   * @param sizes their sizes
   * @param guards where else the output of compactions is cut
   * @param separateValuesFrom length from which on flushes write values to value files; 0: none
   * @param filterPrefix which parts of keys filters know besides the keys; null: none
   */
  public record Output(
      int databaseId,
      BlockCodec codec,
      int filterBitsPerKey,
      SstSizes sizes,
      Guards guards,
      int separateValuesFrom,
      @Nullable KeyPrefix filterPrefix) {
    /** With filters that know keys alone. */
    public Output(
        int databaseId,
        BlockCodec codec,
        int filterBitsPerKey,
        SstSizes sizes,
        Guards guards,
        int separateValuesFrom) {
      this(databaseId, codec, filterBitsPerKey, sizes, guards, separateValuesFrom, null);
    }

    /** Whether a flush writes the value of an entry to a value file. */
    boolean separates(long trailer, int valueLength) {
      return separateValuesFrom > 0
          && switch (Trailer.kind(trailer)) {
            case EntryKind.CODE_OF_PUT -> valueLength >= separateValuesFrom;
            case ExpiringKind.CODE -> valueLength - ExpiringKind.DUE_BYTES >= separateValuesFrom;
            default -> false;
          };
    }
  }

  /**
   * The meaning of entries.
   *
   * @param kinds in the database
   * @param now the time, in milliseconds since the epoch: what is due has expired
   * @param filter decides what compactions keep; null: all
   */
  public record Entries(EntryKinds kinds, long now, FilteredIterator.@Nullable Filter filter) {
    /** Of which all are kept. */
    public Entries(EntryKinds kinds, long now) {
      this(kinds, now, null);
    }

    /**
     * What a compaction keeps of entries.
     *
     * @param snapshots sequence numbers that must stay readable, ascending
     */
    ForwardIterator kept(EntryIterator all, long[] snapshots) {
      FilteredIterator.Filter given = filter;
      return given == null ? all : new FilteredIterator(all, given, kinds, now, snapshots);
    }
  }

  /**
   * The listeners to the progress of a task.
   *
   * @param written notified of how many bytes of SSTs were written since the last time, before each
   *     yield point and after each SST
   * @param yieldPoint called after every few hundred kilobytes of entries; may run more urgent work
   *     first, and throws {@link java.util.concurrent.CancellationException} when the task should
   *     stop
   */
  public record Progress(LongConsumer written, Runnable yieldPoint) {
    /** For a task that nobody watches or stops. */
    public static final Progress UNWATCHED = new Progress(bytes -> {}, () -> {});
  }

  /**
   * Decides what a task need not write.
   *
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older trees of lower priority than its inputs: as long as one of them may hold a key, a
   *     tombstone for it must stay
   * @param ranges the range tombstones of the inputs; null for none
   */
  VersionFilter filter(
      long[] snapshots, List<LogicalTree> older, @Nullable RangeTombstones ranges) {
    return new VersionFilter(
        entries.kinds(),
        snapshots,
        (key, offset, length) -> mayHold(older, key, offset, length),
        ranges);
  }

  /**
   * Joins what a task writes.
   *
   * @param snapshots as above
   * @param older as above
   * @param output what it writes
   */
  JoinedVersions joined(
      long[] snapshots, List<LogicalTree> older, Consumer<ForwardIterator> output) {
    return new JoinedVersions(
        entries.kinds(),
        snapshots,
        (key, offset, length) -> mayHold(older, key, offset, length),
        output);
  }

  /** Closes and deletes an SST that the task has made, and that never became part of a forest. */
  void discard(Sst sst) {
    sst.discard(files.fileSystem(), files.directory());
  }

  private static boolean mayHold(List<LogicalTree> trees, byte[] key, int offset, int length) {
    for (LogicalTree tree : trees) {
      if (tree.mayHold(key, offset, length)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Calls a task's yield point about once a millisecond, whatever the size of its entries. Used by
   * one thread.
   */
  static final class YieldPoints {
    private static final int BYTES = 512 << 10;

    /** The cost of an entry besides its bytes: a yield point after at most 4096 entries. */
    private static final int ENTRY_BYTES = 128;

    private final Runnable yieldPoint;
    private int left = BYTES;

    YieldPoints(Runnable yieldPoint) {
      this.yieldPoint = yieldPoint;
    }

    /** Called for every entry, with the bytes of its key and value. */
    void entry(int bytes) {
      left -= ENTRY_BYTES + bytes;
      if (left <= 0) {
        left = BYTES;
        yieldPoint.run();
      }
    }
  }
}
