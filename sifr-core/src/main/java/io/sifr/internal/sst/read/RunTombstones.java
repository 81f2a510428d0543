package io.sifr.internal.sst.read;

import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.range.KeyStretch;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.entry.range.TombstonePlace;
import io.sifr.internal.util.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range tombstones of a run, read slice by slice. Thread-safe.
 *
 * @param run the run
 */
public record RunTombstones(SstRun run) implements TombstonePlace {
  /**
   * @throws OutdatedException when the SST is gone
   */
  @Override
  public long newestCovering(
      byte[] key, int offset, int length, long atMost, boolean exactly, KeyStretch around) {
    RangeTombstones ranges = at(key, offset, length, around);
    return ranges == null ? 0 : ranges.newestCovering(key, offset, length, atMost, exactly, around);
  }

  /** Those of the slice in whose range a key is; null when there are none. */
  private @Nullable RangeTombstones at(byte[] key, int offset, int length, KeyStretch around) {
    List<SstSlice> slices = run.slices();
    int index = run.firstEndingAtOrAfter(key, offset, length);
    if (index > 0) {
      around.notBefore(Bytes.successor(slices.get(index - 1).largestKey()));
    }
    if (index == slices.size()) {
      return null;
    }
    SstSlice slice = slices.get(index);
    byte[] smallest = slice.smallestKey();
    if (Bytes.compare(key, offset, length, smallest, 0, smallest.length) < 0) {
      around.before(smallest);
      return null;
    }
    around.notBefore(smallest);
    around.before(Bytes.successor(slice.largestKey()));
    return slice.sst().hasRangeTombstones() ? SliceTombstones.read(slice) : null;
  }
}
