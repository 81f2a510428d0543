package io.sifr.inspect.dump;

import io.sifr.error.CorruptionException;
import io.sifr.internal.filter.BloomFilter;
import io.sifr.internal.filter.FilterExtent;
import io.sifr.internal.filter.FilterScan;
import io.sifr.internal.offline.OfflineStore;
import java.util.function.Consumer;

/**
 * Shows a filter file: the intact extents, and what lies between. The file alone does not tell
 * whether the SST of a filter still exists.
 */
final class FilterDump implements FilterScan.Visitor {
  private static final long PAGE_BYTES = FilterExtent.PAGE_BYTES;

  private final Consumer<DumpedRecord> sink;

  /** The page after the last one shown; the header takes the first. */
  private long shown = 1;

  private FilterDump(Consumer<DumpedRecord> sink) {
    this.sink = sink;
  }

  static void run(OfflineStore store, long number, Consumer<DumpedRecord> sink) {
    FilterDump dump = new FilterDump(sink);
    FilterScan.Result scanned = store.scanFilters(number, dump);
    dump.unused(scanned.pages());
  }

  @Override
  public boolean wants(FilterExtent extent) {
    return true;
  }

  @Override
  public void filter(FilterExtent extent, BloomFilter filter) {
    unused(extent.page());
    sink.accept(
        new Piece("filter")
            .with("sst", extent.sst())
            .with("uniqueId", Piece.hex(extent.sstId()))
            .with("keys", extent.keys())
            .with("bitsPerKey", extent.bitsPerKey())
            .with("bytes", extent.filterBytes())
            .at(extent.offset(), extent.pages() * PAGE_BYTES));
    shown = extent.page() + extent.pages();
  }

  @Override
  public void damaged(long page, CorruptionException damage) {
    unused(page);
    sink.accept(new Piece("remains").with("what", damage.what()).at(page * PAGE_BYTES, PAGE_BYTES));
    shown = page + 1;
  }

  private void unused(long to) {
    if (to > shown) {
      sink.accept(new Piece("unused").at(shown * PAGE_BYTES, (to - shown) * PAGE_BYTES));
    }
  }
}
