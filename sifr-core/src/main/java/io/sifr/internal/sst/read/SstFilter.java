package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstTail;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter of an SST (TPDS §4.1), in pages. While the file is mapped it is used where it is: a
 * page is checked when it is first used, and an answer is then one line of the mapping. Else the
 * cache keeps the pages that are used most. A page that cannot be read, or is damaged, rules out no
 * key: filters save reads, but nothing is lost with them. Thread-safe.
 */
public final class SstFilter extends CachedTable<FilterPage> {
  private static final Logger LOG = LoggerFactory.getLogger(SstFilter.class);

  // What is known of a page in a mapping.
  private static final byte UNCHECKED = 0;
  private static final byte SOUND = 1;
  private static final byte DAMAGED = 2;

  private final SstTail tail;
  private final FilterShape shape;
  private final SstFile file;
  private final SstAccess access;
  private final FilterCounts counts;
  private final int offset;
  private final int blocks;
  private final int probes;

  // Written without a lock: a thread that does not see the new state just checks again.
  private final byte[] known;

  /** The whole file; null while it is not mapped. A thread that uses it is in a read epoch. */
  private volatile @Nullable ByteBuffer mapping;

  /** True if damage was logged. */
  private volatile boolean isDamaged;

  private SstFilter(SstTail tail, FilterShape shape, SstFile file, SstAccess access) {
    super(access.cache(), FilterPage.count(shape), ~tail.top().hash());
    this.tail = tail;
    this.shape = shape;
    this.file = file;
    this.access = access;
    this.counts = access.filterCounts();
    this.offset = tail.footer().blocksEnd();
    this.blocks = shape.blocks();
    this.probes = shape.probes();
    this.known = new byte[FilterPage.count(shape)];
  }

  /** The filter of an SST; null when it has none. */
  static @Nullable SstFilter of(SstTail tail, SstFile file, SstAccess access) {
    FilterShape shape = tail.footer().filter();
    if (shape == null) {
      return null;
    }
    SstFilter filter = new SstFilter(tail, shape, file, access);
    file.tellOfMappings(filter::isMapped);
    return filter;
  }

  /**
   * The file is mapped now, or, if null, is not any more.
   *
   * @param whole the mapping, which stays until all read epochs have ended in which it may have
   *     been used
   */
  private void isMapped(@Nullable ByteBuffer whole) {
    mapping = whole;
  }

  /** Whether the answer about a key is possible without I/O, as far as is known. */
  boolean isInMemory(long hash) {
    // Of a mapped page it is unknown; where it matters, the store does not read through mappings.
    return (mapping != null && access.maps())
        || get(FilterPage.of(FilterShape.block(hash, blocks))) != null
        || !isOfUse();
  }

  /**
   * Whether there is a use in pages: to read one for a single answer, because it cannot be kept, is
   * no better than to search.
   */
  private boolean isOfUse() {
    return access.maps() || takes(FilterPage.mostBytes());
  }

  /** Has each page of a mapping checked again when it is used next. */
  void distrust() {
    Arrays.fill(known, UNCHECKED);
  }

  /**
   * Returns false only when the SST certainly does not hold the key with that hash. The caller is
   * in a read epoch.
   */
  boolean mayHold(long hash) {
    int block = FilterShape.block(hash, blocks);
    ByteBuffer whole = mapping;
    boolean answer =
        whole != null && access.maps()
            ? mayHoldInPlace(hash, block, whole)
            : mayHoldByCopy(hash, block);
    if (!answer) {
      counts.rejected();
    }
    return answer;
  }

  private boolean mayHoldInPlace(long hash, int block, ByteBuffer whole) {
    int page = FilterPage.of(block);
    if (known[page] != SOUND && !isSound(page)) {
      return true;
    }
    int at = offset + page * SstFormat.PAGE_BYTES + FilterPage.offsetInPage(block);
    try {
      boolean answer = FilterShape.mayHold(probes, hash, whole, at);
      MappingFaults.raise(whole, at, at + FilterPage.BLOCK_BYTES, at);
      return answer;
    } catch (InternalError e) {
      return true; // it cannot be read any more
    }
  }

  /** Checks a page of the mapping. */
  private boolean isSound(int page) {
    if (known[page] == DAMAGED) {
      return false;
    }
    try {
      FilterPage.checked(tail.decoder(), offset, page, file.blocks());
      known[page] = SOUND;
      return true;
    } catch (CorruptionException e) {
      known[page] = DAMAGED;
      tell(e);
      return false;
    } catch (SifrException e) {
      return false; // the search that follows will fail for the same reason, or do without
    }
  }

  /** The same for a file that is not mapped, or was closed because too many are open. */
  private boolean mayHoldByCopy(long hash, int block) {
    FilterPage page = use(FilterPage.of(block));
    if (page == null) {
      page = load(FilterPage.of(block));
    }
    return page == null || page.mayHold(hash, block);
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
      return null; // as above
    }
  }

  private FilterPage read(int number, PageSource source) {
    try {
      return FilterPage.read(tail.decoder(), tail.footer().blocksEnd(), shape, number, source);
    } catch (CorruptionException e) {
      tell(e);
      return FilterPage.ofAnything(shape);
    }
  }

  private void tell(CorruptionException e) {
    if (!isDamaged) {
      isDamaged = true;
      LOG.warn("gets read more than necessary: {}", e.getMessage());
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
