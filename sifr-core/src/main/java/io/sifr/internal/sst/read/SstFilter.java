package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.PageSource;
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
  private final FilterCounts counts;
  private final int blocks;

  /** Whether damage was logged. */
  private volatile boolean isDamaged;

  private SstFilter(SstTail tail, FilterShape shape, BlockCache cache, FilterCounts counts) {
    super(cache, FilterPage.count(shape), ~tail.top().hash());
    this.tail = tail;
    this.shape = shape;
    this.counts = counts;
    this.blocks = shape.blocks();
  }

  /** The filter of an SST; null when it has none. */
  public static @Nullable SstFilter of(SstTail tail, BlockCache cache, FilterCounts counts) {
    FilterShape shape = tail.footer().filter();
    return shape == null ? null : new SstFilter(tail, shape, cache, counts);
  }

  /** Whether the answer about a key is possible without I/O. */
  boolean isInMemory(long hash) {
    return get(FilterPage.of(block(hash))) != null || !isOfUse();
  }

  /** The page of a block, if it is in memory. */
  @Nullable FilterPage pageOf(int block) {
    return use(FilterPage.of(block));
  }

  /** Number of the block that decides about a key. */
  int block(long hash) {
    return FilterShape.block(hash, blocks);
  }

  /** Whether pages can be kept: to read one for a single answer is no better than to search. */
  boolean isOfUse() {
    return takes(FilterPage.mostBytes());
  }

  /** Returns false only when the SST certainly does not hold the key with that hash. */
  boolean mayHold(FilterPage page, long hash, int block) {
    if (page.mayHold(hash, block)) {
      return true;
    }
    counts.rejected();
    return false;
  }

  /** Reads the page of a block, and keeps it. */
  FilterPage load(int block, PageSource source) {
    int number = FilterPage.of(block);
    FilterPage page = read(number, source);
    FilterPage other = takes(page.bytes()) ? add(number, page) : null;
    return other == null ? page : other;
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
   * Reads the whole filter.
   *
   * @return whether the key with a hash may be in the SST
   * @throws CorruptionException when any page of it is damaged
   */
  public LongPredicate readAll(PageSource source) {
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
