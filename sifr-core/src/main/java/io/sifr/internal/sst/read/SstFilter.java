package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstTail;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter of an SST (TPDS §4.1): in pages, of which the cache keeps those that are used most. A
 * page that cannot be read, or is damaged, rules out no key: filters save reads, but nothing is
 * lost with them. Thread-safe.
 */
public final class SstFilter extends CachedTable<FilterPage> {
  private static final Logger LOG = LoggerFactory.getLogger(SstFilter.class);

  private final SstTail tail;
  private final FilterShape shape;
  private final SstFile file;
  private final FilterCounts counts;
  private final int blocks;

  /** True if damage was logged. */
  private volatile boolean isDamaged;

  private SstFilter(SstTail tail, FilterShape shape, SstFile file, SstAccess access) {
    super(access.cache(), FilterPage.count(shape), ~tail.top().hash());
    this.tail = tail;
    this.shape = shape;
    this.file = file;
    this.counts = access.filterCounts();
    this.blocks = shape.blocks();
  }

  /** The filter of an SST; null when it has none. */
  static @Nullable SstFilter of(SstTail tail, SstFile file, SstAccess access) {
    FilterShape shape = tail.footer().filter();
    return shape == null ? null : new SstFilter(tail, shape, file, access);
  }

  /** Whether the answer about a key is possible without I/O. */
  boolean isInMemory(long hash) {
    return get(FilterPage.of(FilterShape.block(hash, blocks))) != null || !isOfUse();
  }

  /** Whether pages can be kept: to read one for a single answer is no better than to search. */
  private boolean isOfUse() {
    return takes(FilterPage.mostBytes());
  }

  /**
   * Returns false only when the SST certainly does not hold the key with that hash. The caller is
   * in a read epoch.
   */
  boolean mayHold(long hash) {
    int block = FilterShape.block(hash, blocks);
    FilterPage page = use(FilterPage.of(block));
    if (page == null) {
      page = load(FilterPage.of(block));
    }
    if (page == null || page.mayHold(hash, block)) {
      return true;
    }
    counts.rejected();
    return false;
  }

  /** Reads a page, and keeps it; null when it cannot be read, or could not be kept. */
  private @Nullable FilterPage load(int number) {
    if (!isOfUse()) {
      return null;
    }
    try {
      FilterPage page = read(number, file.blocks());
      FilterPage other = takes(page.bytes()) ? add(number, page) : null;
      return other == null ? page : other;
    } catch (SifrException e) {
      return null; // the search that follows will fail for the same reason, or do without
    }
  }

  private FilterPage read(int number, PageSource source) {
    try {
      return FilterPage.read(tail.decoder(), tail.footer().blocksEnd(), shape, number, source);
    } catch (CorruptionException e) {
      if (!isDamaged) {
        isDamaged = true;
        LOG.warn("gets read more than necessary: {}", e.getMessage());
      }
      return FilterPage.ofAnything(shape);
    }
  }

  /**
   * Reads the whole filter of an SST, if it has one, and checks it.
   *
   * @return whether the key with a hash may be in the SST
   * @throws CorruptionException when any page of it is damaged
   */
  public static LongPredicate readAll(SstTail tail, PageSource source) {
    FilterShape shape = tail.footer().filter();
    if (shape == null) {
      return hash -> true;
    }
    FilterPage[] pages = new FilterPage[FilterPage.count(shape)];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = FilterPage.read(tail.decoder(), tail.footer().blocksEnd(), shape, i, source);
    }
    return hash -> {
      int block = shape.block(hash);
      return pages[FilterPage.of(block)].mayHold(hash, block);
    };
  }

  /** A key was not in the SST, although the filter did not rule it out. */
  void missed() {
    if (isOfUse()) {
      counts.falsePositive();
    }
  }
}
