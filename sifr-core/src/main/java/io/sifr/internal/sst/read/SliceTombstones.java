package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.range.RangeTombstones;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The range tombstones of slices of SSTs; where an SST has some, its file is opened. */
public final class SliceTombstones {
  private SliceTombstones() {}

  /**
   * Those of several slices as one; null for none.
   *
   * @throws OutdatedException when an SST of which they are needed is gone
   * @throws SifrException when they cannot be read
   */
  public static @Nullable RangeTombstones of(Collection<SstSlice> slices) {
    List<RangeTombstones> all = new ArrayList<>();
    for (SstSlice slice : slices) {
      RangeTombstones some = slice.sst().hasRangeTombstones() ? read(slice) : null;
      if (some != null) {
        all.add(some);
      }
    }
    return RangeTombstones.merged(all);
  }

  /** Those of several slices as one; null for none, and when not all of them can be read. */
  public static @Nullable RangeTombstones readable(Collection<SstSlice> slices) {
    try {
      return of(slices);
    } catch (SifrException | OutdatedException e) {
      return null;
    }
  }

  /** Those of one slice, which is pinned meanwhile. */
  static @Nullable RangeTombstones read(SstSlice slice) {
    if (!slice.sst().tryPin()) {
      throw new OutdatedException();
    }
    try {
      return slice.rangeTombstones();
    } finally {
      slice.sst().unpin();
    }
  }
}
