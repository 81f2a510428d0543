package io.sifr.internal.sst.read;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.FilterPage;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstTail;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages of an SST's filter. While the file is mapped they are used where they are: a page is
 * checked when it is first used, and an answer is then one line of the mapping. Else the cache
 * keeps the pages that are used most. A page that cannot be read, or is damaged, rules out no key.
 * Thread-safe.
 *
 * <p>A mapped filter that is asked often is copied to one array, if the cache has plenty of room:
 * what a mapping costs besides, to see that it is still there and could be read, is more than the
 * answer itself.
 */
final class FilterPages extends CachedTable<FilterPage> {
  private static final Logger LOG = LoggerFactory.getLogger(FilterPages.class);

  /** To copy a page, and check it, takes as long as a copy saves in so many answers. */
  private static final int ANSWERS_PER_PAGE = 32;

  /**
   * A filter of so many pages is read at once while there is plenty of room: a read of all takes
   * hardly longer than a read of one, and all will be needed.
   */
  private static final int MOST_AT_ONCE = 64;

  /** Heap of the objects of a copy, about. */
  private static final int COPY_BYTES = 64;

  // What is known of a page in a mapping.
  private static final byte UNCHECKED = 0;
  private static final byte SOUND = 1;
  private static final byte DAMAGED = 2;

  private final SstTail tail;
  private final FilterShape shape;
  private final SstFile file;
  private final SstAccess access;
  private final int offset;
  private final int probes;
  private final boolean isEncrypted;

  // Written without a lock: a thread that does not see the new state just checks again.
  private final byte[] known;

  /** Told of the copy of all blocks, and by null that it is not kept any more. */
  private final Consumer<long @Nullable []> copies;

  /** Where the cache keeps the copy. */
  private final CachedTable<Copy> copy;

  /** Answers since a copy was last thought of; some may be missing. */
  private int answers;

  /**
   * The whole file; null while it is not mapped, or if it is encrypted: then nothing can be used
   * where it is. A thread that uses it is in a read epoch.
   */
  private volatile @Nullable ByteBuffer mapping;

  /** True if damage was logged. */
  private volatile boolean isDamaged;

  FilterPages(
      SstTail tail,
      FilterShape shape,
      SstFile file,
      SstAccess access,
      Consumer<long @Nullable []> copies) {
    super(access.cache(), FilterPage.count(shape), ~tail.top().hash());
    this.tail = tail;
    this.shape = shape;
    this.file = file;
    this.access = access;
    this.offset = tail.footer().blocksEnd();
    this.probes = shape.probes();
    this.isEncrypted = tail.decoder().cipher() != null;
    this.known = new byte[FilterPage.count(shape)];
    this.copies = copies;
    this.copy = CachedTable.ofCopy(access.cache(), Integer.reverse(tail.top().hash()));
  }

  /**
   * The file is mapped now, or, if null, is not any more.
   *
   * @param whole the mapping, which stays until all read epochs have ended in which it may have
   *     been used
   */
  void isMapped(@Nullable ByteBuffer whole) {
    mapping = isEncrypted ? null : whole;
  }

  /** Whether the answer about a key is possible without I/O, as far as is known. */
  boolean isInMemory(int block) {
    // Of a mapped page it is unknown; where it matters, the store does not read through mappings.
    return (mapping != null && access.maps()) || get(FilterPage.of(block)) != null || !isOfUse();
  }

  /**
   * Whether there is a use in pages: to read one for a single answer, because it cannot be kept, is
   * no better than to search.
   */
  boolean isOfUse() {
    return (access.maps() && !isEncrypted) || takes(FilterPage.mostBytes());
  }

  /** Has each page of a mapping checked again when it is used next. */
  void distrust() {
    Arrays.fill(known, UNCHECKED);
    copy.dropAll();
    access.cache().releaseEvicted();
  }

  /** Returns false only when no key with that hash is in a block. The caller is in a read epoch. */
  boolean mayHold(long hash, int block) {
    ByteBuffer whole = mapping;
    if (whole == null || !access.maps()) {
      return mayHoldByPage(hash, block);
    }
    if (++answers > ANSWERS_PER_PAGE * known.length) {
      answers = 0;
      copyAll();
    }
    return mayHoldInPlace(hash, block, whole);
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
  private boolean mayHoldByPage(long hash, int block) {
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
    int all = known.length;
    FilterPage page =
        all <= MOST_AT_ONCE && hasPlenty(all * FilterPage.mostBytes())
            ? load(number, 0, all)
            : null;
    return page == null ? load(number, number, number + 1) : page;
  }

  /** Reads successive pages at once, and keeps them; null when they cannot be read. */
  private @Nullable FilterPage load(int wanted, int from, int to) {
    int start = offset + from * SstFormat.PAGE_BYTES;
    FilterPage page = null;
    try {
      ByteBuffer bytes = file.blocks().read(start, offset + to * SstFormat.PAGE_BYTES);
      PageSource source = (first, end) -> bytes.slice((int) first - start, (int) (end - first));
      for (int number = from; number < to; number++) {
        FilterPage read = read(number, source);
        FilterPage other = takes(read.bytes()) ? add(number, read) : null;
        page = number != wanted ? page : other == null ? read : other;
      }
      return page;
    } catch (SifrException e) {
      return null; // as above
    }
  }

  private FilterPage read(int number, PageSource source) {
    try {
      return FilterPage.read(tail.decoder(), offset, shape, number, source);
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

  /** Keeps a copy of all blocks, if there is plenty of room. */
  private void copyAll() {
    Copy all = new Copy();
    if (!copy.hasPlenty(all.bytes())) {
      return;
    }
    try {
      long[] words = new long[all.words];
      for (int number = 0; number < known.length; number++) {
        read(number, file.blocks()).copyTo(words, number);
      }
      copies.accept(words); // before it is kept: it may be dropped at once
      var unused = copy.add(0, all); // that of a thread that was quicker is the same
    } catch (SifrException e) {
      // as above
    }
  }

  /** Drops everything that is kept. */
  void drop() {
    close();
    copy.close();
  }

  /** All blocks, one after the other. */
  private final class Copy extends CacheArea.Item {
    private final int words = shape.blocks() * FilterShape.BLOCK_WORDS;

    @Override
    public int bytes() {
      return COPY_BYTES + words * Long.BYTES;
    }

    @Override
    public CacheUse use() {
      return CacheUse.FILTERS;
    }

    @Override
    protected void dropped() {
      copies.accept(null);
    }
  }
}
