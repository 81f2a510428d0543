package io.sifr.internal.compaction.merge;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.JoinedVersions;
import io.sifr.internal.entry.RangeTombstones;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.SstAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the tasks of flushes and compactions need of the store.
 *
 * @param fileSystem where files are made
 * @param directory the store's directory
 * @param access opens the SSTs that were made
 * @param databaseId the database that SSTs are made for
 * @param kinds what entries mean in it
 * @param now the time, in milliseconds since the epoch: what is due has expired
 * @param numbers source of file numbers, none twice
 * @param uniqueIds source of random ids
 * @param codec encodes the blocks of SSTs
 * @param filterBitsPerKey bits per key of the filters of SSTs; 0 for no filters
 * @param sizes the sizes of SSTs
 * @param guards where else the output of compactions is cut
 * @param written told how many bytes of SSTs were written since the last time, before each yield
 *     point and after each SST
 * @param yieldPoint called after every few hundred kilobytes of entries; may run more urgent work
 *     first, and throws {@link java.util.concurrent.CancellationException} when the task should
 *     stop
 */
public record TaskEnvironment(
    StoreFileSystem fileSystem,
    Path directory,
    SstAccess access,
    int databaseId,
    EntryKinds kinds,
    long now,
    LongSupplier numbers,
    LongSupplier uniqueIds,
    BlockCodec codec,
    int filterBitsPerKey,
    SstSizes sizes,
    Guards guards,
    LongConsumer written,
    Runnable yieldPoint) {
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
        kinds, snapshots, (key, offset, length) -> mayHold(older, key, offset, length), ranges);
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
        kinds, snapshots, (key, offset, length) -> mayHold(older, key, offset, length), output);
  }

  private static boolean mayHold(List<LogicalTree> trees, byte[] key, int offset, int length) {
    for (LogicalTree tree : trees) {
      if (tree.mayHold(key, offset, length)) {
        return true;
      }
    }
    return false;
  }
}
