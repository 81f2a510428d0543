package io.sifr.internal.sst.read;

import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop;
import io.sifr.internal.sst.format.PageSource;
import org.jspecify.annotations.Nullable;

/**
 * The index of an SST: its top, and those of its parts that the cache keeps, which are dropped with
 * their blocks. Thread-safe.
 */
final class SstIndex extends CachedTable<IndexPart> {
  private final IndexTop top;
  private final SharedCache.OfStore cache;

  SstIndex(IndexTop top, SharedCache.OfStore cache) {
    super(cache, top.parts(), top.hash());
    this.top = top;
    this.cache = cache;
  }

  /** The part that may have the block of a key. */
  int find(byte[] key, int offset, int length, long sequence) {
    // Small SSTs have one part. Their top is not even touched, which would miss the CPU's cache.
    return size() == 1 ? 0 : top.find(key, offset, length, sequence);
  }

  /** Number of parts. */
  int parts() {
    return top.parts();
  }

  /** A part, from memory or read through an open file. */
  IndexPart part(int number, PageSource source) {
    IndexPart part = use(number);
    return part == null ? load(number, source) : part;
  }

  private IndexPart load(int number, PageSource source) {
    IndexPart part = top.part(number, source, cache);
    if (!takes(part.bytes())) {
      part.keepNothing();
      return part;
    }
    IndexPart other = add(number, part);
    return other == null ? part : other;
  }

  /** Has each block of a mapping checked again when it is used next. */
  void distrust() {
    for (int number = 0; number < parts(); number++) {
      IndexPart part = get(number);
      if (part != null) {
        part.distrust();
      }
    }
  }

  /** The parts, read through an open file if they are not in memory. */
  Parts through(PageSource source) {
    return new Parts(this, source);
  }

  /**
   * Gives the parts of an index, by number.
   *
   * @param index the index
   * @param source the open file
   */
  record Parts(SstIndex index, PageSource source) {
    /**
     * A part, read if necessary.
     *
     * @throws io.sifr.error.CorruptionException when it is damaged
     */
    IndexPart part(int number) {
      return index.part(number, source);
    }

    /** A part, if it is in memory. */
    @Nullable IndexPart inMemory(int number) {
      return index.get(number);
    }
  }
}
