package io.sifr.internal.sst.read;

import io.sifr.config.KeyPrefix;
import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstTail;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The filter of an SST (TPDS §4.1). Filters save reads, but nothing is lost with them: what cannot
 * be read, or is damaged, rules out no key. Thread-safe.
 */
public final class SstFilter {
  // Small, since most searches need of an SST this object alone, and one line of the copy.
  private final FilterPages pages;
  private final FilterCounts counts;
  private final int blocks;
  private final int probes;
  private final @Nullable KeyPrefix prefix;

  /** A copy of all blocks, one after the other; null when there is none. */
  private volatile long @Nullable [] copy;

  private SstFilter(SstTail tail, FilterShape shape, SstFile file, SstAccess access) {
    this.counts = access.filterCounts();
    this.blocks = shape.blocks();
    this.probes = shape.probes();
    this.prefix = tail.properties().origin().filterPrefix();
    this.pages = new FilterPages(tail, shape, file, access, kept -> copy = kept);
  }

  /** The filter of an SST; null when it has none. */
  static @Nullable SstFilter of(SstTail tail, SstFile file, SstAccess access) {
    FilterShape shape = tail.footer().filter();
    if (shape == null) {
      return null;
    }
    SstFilter filter = new SstFilter(tail, shape, file, access);
    file.tellOfMappings(filter.pages::isMapped);
    return filter;
  }

  /** Whether the answer about a key is possible without I/O, as far as is known. */
  boolean isInMemory(long hash) {
    return copy != null || pages.isInMemory(FilterShape.block(hash, blocks));
  }

  /** Has what was checked in a mapping checked again when it is used next. */
  void distrust() {
    pages.distrust();
  }

  /** Drops what is in memory. */
  void close() {
    pages.drop();
  }

  /**
   * Returns false only when the SST certainly does not hold the key with that hash. The caller is
   * in a read epoch.
   */
  boolean mayHold(long hash) {
    int block = FilterShape.block(hash, blocks);
    long[] words = copy;
    boolean answer =
        words == null
            ? pages.mayHold(hash, block)
            : FilterShape.mayHold(probes, hash, words, block * FilterShape.BLOCK_WORDS);
    if (!answer) {
      counts.rejected();
    }
    return answer;
  }

  /**
   * The same of all keys with a prefix.
   *
   * @param of how long that is
   * @param hash of it, see {@link io.sifr.internal.filter.KeyHash#ofPrefix}
   */
  boolean mayHoldPrefix(KeyPrefix of, long hash) {
    return !of.equals(prefix) || mayHold(hash);
  }

  /** A key was not in the SST, although the filter did not rule it out. */
  void missed() {
    if (pages.isOfUse()) {
      counts.falsePositive();
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
}
