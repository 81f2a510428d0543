package io.sifr.internal.compaction.pick;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.SstSlice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the range tombstones of a forest that compactions can drop. */
public final class TombstoneSlices {
  private TombstoneSlices() {}

  /**
   * A slice as it is distinguished from others of its SST, of which a compaction that is clipped to
   * a key range may leave two.
   */
  public record Slice(long sst, ByteBuffer smallestKey) {
    /** Its name. */
    public static Slice of(SstSlice slice) {
      return new Slice(slice.sst().number(), ByteBuffer.wrap(slice.smallestKey()));
    }
  }

  /**
   * The slice with the most range tombstones, by bytes, of those that have droppable ones. Then
   * those that have none of the range tombstones of their SST: where a compaction that is under way
   * has taken these, they take memory until it takes the rest as well.
   *
   * @param droppable range tombstones with this sequence number, or a smaller one, are needed no
   *     more once what lies below them is compacted with them: no snapshot is older
   * @param without slices that do not count
   * @return null when there is none
   */
  public static @Nullable SstSlice largest(Forest forest, long droppable, Set<Slice> without) {
    SstSlice largest = null;
    long bytes = -1;
    for (LogicalTree tree : forest.byPriority()) {
      for (SstSlice slice : tree.hasRangeTombstones() ? tree.slices() : List.<SstSlice>of()) {
        if (slice.sst().hasRangeTombstones() && !without.contains(Slice.of(slice))) {
          long droppableBytes = droppableBytes(slice, droppable);
          if (droppableBytes > bytes) {
            largest = slice;
            bytes = droppableBytes;
          }
        }
      }
    }
    return largest;
  }

  /** Negative when they are needed, or cannot be read: then they take no memory. */
  private static long droppableBytes(SstSlice slice, long droppable) {
    try {
      RangeTombstones ranges = SliceTombstones.of(List.of(slice));
      if (ranges == null) {
        return 0;
      }
      return ranges.oldest() <= droppable ? ranges.bytes() : -1;
    } catch (SifrException | OutdatedException e) {
      return -1;
    }
  }
}
