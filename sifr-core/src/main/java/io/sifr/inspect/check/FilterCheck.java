package io.sifr.inspect.check;

import io.sifr.error.CorruptionException;
import io.sifr.internal.filter.BloomFilter;
import io.sifr.internal.filter.FilterExtent;
import io.sifr.internal.filter.FilterScan;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.DistinctKeys;
import io.sifr.internal.sst.SstMeta;
import io.sifr.internal.sst.SstReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks a filter file: that filters are intact, and that each accepts all keys of its SST. Damage
 * to it costs time but no data, as its findings say.
 */
final class FilterCheck implements FilterScan.Visitor {
  private static final String HARMLESS = "; no data is lost, the next opening makes it anew";

  private final OfflineStore store;
  private final Path file;
  private final Findings findings;
  private final Map<Long, SstMeta> ssts;
  private final Set<Long> unusable;

  private static final long UNKNOWN = -1;

  /** Damaged filters by page. A power failure leaves such, too, but then there is a log. */
  private final Map<Long, Damage> damage = new TreeMap<>();

  /**
   * SSTs whose filter was found. Further filters of such an SST are on free pages: a crash has
   * undone their removal.
   */
  private final Set<Long> found = new HashSet<>();

  /** The SST whose filter is being checked. */
  private long asked = UNKNOWN;

  private record Damage(long sst, String what) {}

  /**
   * @param ssts the SSTs that forests hold, by number
   * @param unusable numbers of those that cannot be read completely
   */
  FilterCheck(
      OfflineStore store,
      long number,
      Findings findings,
      Map<Long, SstMeta> ssts,
      Set<Long> unusable) {
    this.store = store;
    this.file = store.path(FileKind.FILTERS, number);
    this.findings = findings;
    this.ssts = ssts;
    this.unusable = unusable;
  }

  /**
   * Reads the file.
   *
   * @param killed whether the store was not closed, so that damaged filters may never have been
   *     complete
   */
  void run(long number, boolean killed) {
    try {
      store.scanFilters(number, this);
    } catch (CorruptionException e) {
      if (!killed) {
        findings.add(e.file(), e.offset(), e.what() + HARMLESS);
      }
      return;
    }
    if (!killed) {
      damage.forEach(
          (page, piece) -> {
            if (!found.contains(piece.sst())) {
              findings.add(file, page * FilterExtent.PAGE_BYTES, piece.what() + HARMLESS);
            }
          });
    }
  }

  @Override
  public boolean wants(FilterExtent extent) {
    SstMeta sst = ssts.get(extent.sst());
    boolean wanted =
        sst != null && sst.uniqueId() == extent.sstId() && !found.contains(extent.sst());
    asked = wanted ? extent.sst() : UNKNOWN;
    return wanted;
  }

  @Override
  public void damaged(long page, CorruptionException damaged) {
    damage.put(page, new Damage(asked, damaged.what()));
    asked = UNKNOWN;
  }

  @Override
  public void filter(FilterExtent extent, BloomFilter filter) {
    found.add(extent.sst());
    asked = UNKNOWN;
    SstMeta sst = ssts.get(extent.sst());
    if (sst != null && !unusable.contains(extent.sst())) {
      findings.examine(file, () -> requireHoldsAll(sst, extent, filter));
    }
  }

  private void requireHoldsAll(SstMeta sst, FilterExtent extent, BloomFilter filter) {
    try (SstReader reader = store.openSst(sst);
        DistinctKeys keys = new DistinctKeys(reader.fullIterator())) {
      long count = 0;
      while (keys.next()) {
        count++;
        if (!filter.mayHold(KeyHash.of(keys.array(), 0, keys.length()))) {
          findings.add(
              file, extent.offset(), "the filter of SST " + sst.number() + " hides a key of it");
          return;
        }
      }
      if (count != extent.keys()) {
        findings.add(
            file,
            extent.offset(),
            "a filter of " + extent.keys() + " keys, SST " + sst.number() + " has " + count);
      }
    }
  }
}
