package io.sifr.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
  private static final int PAGE = BlockMemory.PAGE_BYTES;

  private final long before = BlockMemory.bytesInUse();

  private long inUse() {
    return BlockMemory.bytesInUse() - before;
  }

  /** A block that says its number everywhere. */
  private static MemoryBlock block(int number, int pages) {
    MemoryBlock block = MemoryBlock.allocate(pages * PAGE);
    for (int i = 0; i < block.bytes(); i += Integer.BYTES) {
      block.buffer().putInt(i, number);
    }
    return block;
  }

  private static void offer(CachedTable.Blocks table, int number, int pages) {
    MemoryBlock block = block(number, pages);
    table.offer(number, block);
    block.release();
  }

  private static boolean saysItsNumber(MemoryBlock block, int number) {
    for (int i = 0; i < block.bytes(); i += Integer.BYTES) {
      if (block.buffer().getInt(i) != number) {
        return false;
      }
    }
    return true;
  }

  @Test
  void whatWasOfferedIsFound() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 10, 0);
      offer(table, 3, 1);
      assertThat(table.contains(3)).isTrue();
      MemoryBlock found = table.acquire(3);
      assertThat(found).isNotNull();
      assertThat(saysItsNumber(found, 3)).isTrue();
      found.release();
      assertThat(table.contains(4)).isFalse();
      assertThat(table.acquire(4)).isNull();
    }
    assertThat(inUse()).isZero();
  }

  @Test
  void itKeepsNoMoreThanItsBound() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 1000, 0);
      for (int i = 0; i < 1000; i++) {
        offer(table, i, 1 + i % 3);
        // One is just being offered.
        assertThat(inUse()).isLessThanOrEqualTo((64 + 3) * PAGE);
      }
      assertThat(cache.bytes()).isLessThanOrEqualTo(64 * PAGE).isGreaterThan(32 * PAGE);
      assertThat(inUse()).isEqualTo(cache.bytes());
    }
    assertThat(inUse()).isZero();
  }

  @Test
  void aFullCacheKeepsOnlyWhatIsReadAgain() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 1000, 0);
      for (int i = 0; i < 60; i++) {
        offer(table, i, 1);
        assertThat(table.contains(i)).isTrue();
      }
      for (int i = 100; i < 200; i++) {
        offer(table, i, 1);
        assertThat(table.contains(i)).isFalse();
      }
      assertThat(cache.bytes()).isEqualTo(60 * PAGE);
      // Now it is known, and competes; it is inserted at least, or the first ones would be left.
      offer(table, 199, 1);
      assertThat(table.contains(199)).isTrue();
    }
    assertThat(inUse()).isZero();
  }

  @Test
  void aBlockInUseOutlivesItsEviction() {
    MemoryBlock held = block(7, 1);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      Part part = Part.in(cache, 1);
      part.table.offer(7, held);
      cache.shared().onHeap().evict(part);
      assertThat(part.table.contains(7)).isFalse();
      assertThat(saysItsNumber(held, 7)).isTrue();
    }
    assertThat(inUse()).isEqualTo(PAGE);
    held.release();
    assertThat(inUse()).isZero();
    assertThat(held.tryRetain()).isFalse();
  }

  @Test
  void memoryIsFreedOnceAndSaysSo() {
    MemoryBlock block = block(1, 1);
    block.release();
    assertThatThrownBy(block::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("twice");
    assertThat(inUse()).isZero();
  }

  @Test
  void ofTwoBlocksOfOneNumberTheFirstStays() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 10, 0);
      MemoryBlock first = block(5, 1);
      MemoryBlock second = block(5, 1);
      table.offer(5, first);
      table.offer(5, second);
      second.release();
      assertThat(inUse()).isEqualTo(PAGE);
      MemoryBlock found = table.acquire(5);
      assertThat(found).isSameAs(first);
      first.release();
      first.release();
    }
    assertThat(inUse()).isZero();
  }

  @Test
  void largeBlocksAreNotKept() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 10, 0);
      offer(table, 1, 9);
      assertThat(table.contains(1)).isFalse();
      offer(table, 1, 8);
      assertThat(table.contains(1)).isTrue();
    }
  }

  @Test
  void aCacheOfNoBytesKeepsNothing() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(0)) {
      CachedTable.Blocks table = new CachedTable.Blocks(cache, 10, 0);
      offer(table, 1, 1);
      assertThat(table.contains(1)).isFalse();
      assertThat(inUse()).isZero();
    }
  }

  @Test
  void sizesAreWholePages() {
    for (int bytes : new int[] {-4096, 0, 1, 4095, 4097}) {
      assertThatThrownBy(() -> MemoryBlock.allocate(bytes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(Integer.toString(bytes));
    }
  }

  /** Something that is evicted with its blocks. */
  private static final class Part extends CacheArea.Item {
    private final CachedTable.Blocks table;
    private final int bytes;

    private Part(SharedCache.OfStore cache, int bytes) {
      this.table = new CachedTable.Blocks(cache, 64, System.identityHashCode(this));
      this.bytes = bytes;
    }

    /** One that is in the cache. */
    static Part in(SharedCache.OfStore cache, int bytes) {
      Part part = new Part(cache, bytes);
      int hash = System.identityHashCode(part); // thousands with one hash code take minutes
      assertThat(new CachedTable<Part>(cache, 1, hash).add(0, part)).isNull();
      return part;
    }

    @Override
    public int bytes() {
      return bytes;
    }

    @Override
    public CacheUse use() {
      return CacheUse.INDEXES;
    }

    @Override
    protected void dropped() {
      table.close();
    }
  }

  @Test
  void blocksAreEvictedWithTheirPart() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      Part part = Part.in(cache, PAGE);
      Part other = Part.in(cache, PAGE);
      for (int i = 0; i < 10; i++) {
        offer(part.table, i, 1);
        offer(other.table, i, 1);
      }
      assertThat(cache.bytes()).isEqualTo(22 * PAGE);
      assertThat(cache.bytes(CacheUse.BLOCKS)).isEqualTo(20 * PAGE);
      assertThat(cache.bytes(CacheUse.INDEXES)).isEqualTo(2 * PAGE);
      assertThat(cache.bytes(CacheUse.FILTERS)).isZero();
      cache.shared().onHeap().evict(part);
      assertThat(cache.bytes()).isEqualTo(11 * PAGE);
      assertThat(inUse()).isEqualTo(10 * PAGE);
      offer(part.table, 3, 1);
      assertThat(part.table.contains(3)).as("it is gone").isFalse();
      assertThat(other.table.contains(3)).isTrue();
    }
    assertThat(inUse()).isZero();
  }

  /** They are told one after the other, not one within the other. */
  @Test
  void anyNumberOfPartsIsEvictedAtOnce() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(1L << 40)) {
      for (int i = 0; i < 20_000; i++) {
        offer(Part.in(cache, 1).table, 1, 1);
      }
    }
    assertThat(inUse()).isZero();
  }

  @Test
  void aTableKeepsTheFirstAndNothingOnceItIsClosed() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      CachedTable<Part> table = new CachedTable<>(cache, 10, 0);
      Part first = new Part(cache, PAGE);
      assertThat(table.use(3)).isNull();
      assertThat(table.add(3, first)).isNull();
      assertThat(table.add(3, new Part(cache, PAGE))).isSameAs(first);
      assertThat(table.use(3)).isSameAs(first);
      assertThat(table.get(4)).isNull();
      assertThat(cache.bytes()).isEqualTo(PAGE);
      assertThat(table.takes(PAGE)).isTrue();
      table.close();
      cache.releaseEvicted();
      assertThat(table.get(3)).isNull();
      assertThat(table.takes(PAGE)).isFalse();
      assertThat(table.add(4, new Part(cache, PAGE))).isNull();
      assertThat(table.get(4)).as("it came too late").isNull();
      assertThat(cache.bytes()).isZero();
    }
  }

  /** By it the cache remembers how often something was used before it was dropped. */
  @Test
  void theHashCodeOfABlockIsThatOfItsPosition() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(64 * PAGE)) {
      MemoryBlock first = block(5, 1);
      new CachedTable.Blocks(cache, 10, 77).offer(5, first);
      MemoryBlock again = block(5, 1);
      new CachedTable.Blocks(cache, 10, 77).offer(5, again);
      MemoryBlock next = block(6, 1);
      new CachedTable.Blocks(cache, 10, 77).offer(6, next);
      assertThat(first).hasSameHashCodeAs(again).doesNotHaveSameHashCodeAs(next);
      assertThat(first).isNotEqualTo(again);
      first.release();
      again.release();
      next.release();
    }
  }

  /** What is read is never memory that was given back, which would be overwritten. */
  @Test
  void readersOfManyThreadsSeeWholeBlocks() throws Exception {
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(16 * PAGE)) {
      AtomicReferenceArray<Part> parts = new AtomicReferenceArray<>(2);
      parts.set(0, Part.in(cache, 1));
      parts.set(1, Part.in(cache, 1));
      List<Future<?>> runs = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        long seed = t;
        runs.add(pool.submit(() -> readAndOffer(parts, cache, new Random(seed))));
      }
      for (Future<?> run : runs) {
        run.get();
      }
      cache.shared().onHeap().evict(parts.get(0));
      cache.shared().onHeap().evict(parts.get(1));
      assertThat(inUse()).as("nothing is left of any part").isZero();
    } finally {
      pool.shutdownNow();
    }
    assertThat(inUse()).isZero();
  }

  private static void readAndOffer(
      AtomicReferenceArray<Part> parts, SharedCache.OfStore cache, Random random) {
    for (int i = 0; i < 20_000; i++) {
      int index = random.nextInt(2);
      Part part = parts.get(index);
      int number = random.nextInt(64);
      MemoryBlock found = part.table.acquire(number);
      if (found == null) {
        found = block(number, 1);
        part.table.offer(number, found);
      }
      assertThat(saysItsNumber(found, number)).as("block %d", number).isTrue();
      found.release();
      if (random.nextInt(500) == 0) {
        Part next = Part.in(cache, 1);
        cache.shared().onHeap().evict(parts.compareAndSet(index, part, next) ? part : next);
      }
    }
  }
}
