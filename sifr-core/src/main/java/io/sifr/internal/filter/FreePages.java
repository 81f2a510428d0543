package io.sifr.internal.filter;

import org.roaringbitmap.RoaringBitmap;

/**
 * Which pages of the filter file are free (TPDS §4.1 keeps filters of one size, which need no such
 * book; those of ours are as large as their SSTs have keys). The first page that is large enough is
 * taken, so that the file stays dense, and what is free at its end is as if it were not there. Used
 * by one thread at a time.
 */
final class FreePages {
  /** A bitmap has 32 bits for a page: 8 TiB of filters. */
  private static final long MOST_PAGES = 1L << 31;

  private final RoaringBitmap free = new RoaringBitmap();

  /** One behind the last page in use. */
  private int end;

  /**
   * @param end pages of the file; none of them is free yet
   * @throws IllegalStateException when the file is too large
   */
  FreePages(long end) {
    if (end >= MOST_PAGES) {
      throw new IllegalStateException("a filter file of " + end + " pages");
    }
    this.end = (int) end;
  }

  /** Takes {@code count} neighbouring pages. Returns the first; -1 when the file is full. */
  int take(int count) {
    for (long from = free.isEmpty() ? -1 : free.nextValue(0); from >= 0; ) {
      long behind = free.nextAbsentValue((int) from);
      if (behind - from >= count) {
        free.remove(from, from + count);
        return (int) from;
      }
      from = free.nextValue((int) behind);
    }
    if ((long) end + count >= MOST_PAGES) {
      return -1;
    }
    end += count;
    return end - count;
  }

  /** Gives pages back. */
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

  /** One behind the last page in use. */
  int end() {
    return end;
  }
}
