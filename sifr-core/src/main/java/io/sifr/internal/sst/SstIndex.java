package io.sifr.internal.sst;

import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.CachedTable;
import org.jspecify.annotations.Nullable;

/** The index of an SST: its top, and those of its parts that the cache keeps. Thread-safe. */
final class SstIndex {
  private final IndexTop top;
  private final BlockCache cache;
  private final CachedTable<IndexPart> kept;

  SstIndex(IndexTop top, BlockCache cache) {
    this.top = top;
    this.cache = cache;
    this.kept = new CachedTable<>(cache, top.parts(), top.hash());
  }

  /** The part that may have the block of a key. */
  int find(byte[] key, int offset, int length, long sequence) {
    return top.find(key, offset, length, sequence);
  }

  /** Number of parts. */
  int parts() {
    return top.parts();
  }

  /** A part, if it is in memory. */
  @Nullable IndexPart inMemory(int number) {
    return kept.get(number);
  }

  /** The same, and records that it is used. */
  @Nullable IndexPart use(int number) {
    return kept.use(number);
  }

  /** A part, from memory or read through an open file. */
  IndexPart part(int number, PageSource source) {
    IndexPart part = use(number);
    return part == null ? load(number, source) : part;
  }

  private IndexPart load(int number, PageSource source) {
    IndexPart part = top.part(number, source, cache);
    if (!kept.takes(part.bytes())) {
      part.keepNothing();
      return part;
    }
    IndexPart other = kept.add(number, part);
    return other == null ? part : other;
  }

  /** The parts, read through an open file if they are not in memory. */
  Parts through(PageSource source) {
    return new Parts() {
      @Override
      public IndexPart part(int number) {
        return SstIndex.this.part(number, source);
      }

      @Override
      public @Nullable IndexPart inMemory(int number) {
        return kept.get(number);
      }
    };
  }

  /** Drops all parts with their blocks, and keeps none from now on. */
  void close() {
    kept.close();
  }
}
