package io.sifr.internal.filter;

import org.roaringbitmap.RoaringBitmap;

/**
 * Keeps track of the free pages of the filter file. (In TPDS §4.1 all filters have one size and
 * this is not needed; here the size of a filter depends on the number of keys in its SST.)
 * Allocates first fit, so that the file stays dense; free pages at its end do not count as part of
 * it. Used by one thread at a time.
 */
final class FreePages {
  /** The number of a page is an int: 8 TiB of filters. */
  private static final long MOST_PAGES = 1L << 31;

  private final RoaringBitmap free = new RoaringBitmap();

  /** One more than the last page in use. */
  private int end;

  /**
   * @param end number of pages in the file; all of them begin as used
   * @throws IllegalStateException when the file is too large
   */
  FreePages(long end) {
    if (end >= MOST_PAGES) {
      throw new IllegalStateException("a filter file of " + end + " pages");
    }
    this.end = (int) end;
  }

  /** Allocates {@code count} adjacent pages. Returns the first, or -1 when the file is full. */
  int take(int count) {
    for (long from = free.isEmpty() ? -1 : free.nextValue(0); from >= 0; ) {
      long past = free.nextAbsentValue((int) from);
      if (past - from >= count) {
        free.remove(from, from + count);
        return (int) from;
      }
      from = free.nextValue((int) past);
    }
    if ((long) end + count >= MOST_PAGES) {
      return -1;
    }
    end += count;
    return end - count;
  }

  /** Frees pages. */
  void free(long page, int count) {
    free.add(page, page + count);
    while (!free.isEmpty() && free.last() == end - 1) {
      long used = free.previousAbsentValue(end - 1);
      free.remove(used + 1, (long) end);
      end = (int) used + 1;
    }
  }

  /** Whether a page is free. */
  boolean isFree(long page) {
    return page >= end || free.contains((int) page);
  }

  /** One more than the last page in use. */
  int end() {
    return end;
  }
}
