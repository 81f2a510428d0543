package io.sifr.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SharedCacheTest {
  private static final int PAGE = BlockMemory.PAGE_BYTES;

  private final long before = BlockMemory.bytesInUse();
  private final AtomicInteger changes = new AtomicInteger();

  @AfterEach
  void everyBlockIsFreed() {
    assertThat(BlockMemory.bytesInUse()).isEqualTo(before);
  }

  private SharedCache divided(int pages, int onHeap, int offHeap) {
    return new SharedCache(
        (long) pages * PAGE, (long) onHeap * PAGE, (long) offHeap * PAGE, changes::incrementAndGet);
  }

  /** Something on the heap, with blocks that are evicted with it. */
  private static final class Part extends CacheArea.Item {
    private final CachedTable.Blocks blocks;
    private final int bytes;

    private Part(SharedCache.OfStore cache, int bytes) {
      this.bytes = bytes;
      this.blocks = new CachedTable.Blocks(cache, 1000, System.identityHashCode(this));
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
      blocks.close();
    }
  }

  private static Part addPart(SharedCache.OfStore cache) {
    Part part = new Part(cache, PAGE);
    add(cache, part);
    return part;
  }

  private static void add(SharedCache.OfStore cache, Part part) {
    new CachedTable<Part>(cache, 1, System.identityHashCode(part)).add(0, part);
  }

  private static void offer(CachedTable.Blocks table, int from, int to) {
    for (int i = from; i < to; i++) {
      MemoryBlock block = MemoryBlock.allocate(PAGE);
      table.offer(i, block);
      block.release();
    }
  }

  @Test
  void blocksTakeWhatIndexesLeave() {
    SharedCache shared = divided(64, 16, 1000);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      CachedTable.Blocks blocks = new CachedTable.Blocks(cache, 1000, 1);
      offer(blocks, 0, 200);
      assertThat(shared.bytes()).isBetween(60L * PAGE, 64L * PAGE);
      for (int i = 0; i < 100; i++) {
        addPart(cache);
        assertThat(shared.bytes()).isLessThanOrEqualTo(66L * PAGE);
      }
      assertThat(cache.bytes(CacheUse.INDEXES)).isBetween(14L * PAGE, 16L * PAGE);
      offer(blocks, 200, 400);
      assertThat(cache.bytes(CacheUse.BLOCKS)).isBetween(44L * PAGE, 50L * PAGE);
      assertThat(cache.bytes(CacheUse.INDEXES)).as("untouched").isGreaterThan(13L * PAGE);
    }
  }

  @Test
  void aQuarterIsForBlocks() {
    SharedCache shared = divided(64, 63, 1000);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      for (int i = 0; i < 200; i++) {
        addPart(cache);
      }
      assertThat(shared.bytes()).isLessThanOrEqualTo(48L * PAGE);
      offer(new CachedTable.Blocks(cache, 1000, 1), 0, 200);
      assertThat(cache.bytes(CacheUse.BLOCKS)).isGreaterThanOrEqualTo(12L * PAGE);
    }
  }

  @Test
  void ofALargeCacheIndexesMayTakeAllButAFewMegabytes() {
    SharedCache shared = divided(1 << 18, 1 << 18, 1 << 18);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      for (int i = 0; i < 2000; i++) {
        add(cache, new Part(cache, 1 << 20));
      }
      assertThat(cache.bytes(CacheUse.INDEXES) >> 20).isBetween(980L, 992L);
      offer(new CachedTable.Blocks(cache, 10_000, 1), 0, 10_000);
      assertThat(cache.bytes(CacheUse.BLOCKS) >> 20).isBetween(30L, 44L);
    }
  }

  /** Each block takes some of the heap, and of what the JVM allows off it. */
  @Test
  void blocksHaveABoundOfTheirOwn() {
    SharedCache shared = divided(64, 64, 20);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      offer(new CachedTable.Blocks(cache, 1000, 1), 0, 200);
      assertThat(cache.bytes()).isBetween(16L * PAGE, 20L * PAGE);
    }
  }

  @Test
  void aSmallCacheHasAShareForBlocksToo() {
    SharedCache shared = divided(64, 64, 64);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      for (int i = 0; i < 200; i++) {
        addPart(cache);
      }
      assertThat(cache.bytes(CacheUse.INDEXES)).isBetween(40L * PAGE, 48L * PAGE);
    }
  }

  @Test
  void aPartTakesItsBlocksWithIt() {
    SharedCache shared = divided(64, 16, 1000);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      Part part = addPart(cache);
      offer(part.blocks, 0, 10);
      assertThat(cache.bytes()).isEqualTo(11L * PAGE);
      shared.onHeap().evict(part);
      assertThat(cache.bytes()).isZero();
      assertThat(BlockMemory.bytesInUse()).isEqualTo(before);
    }
  }

  @Test
  void itsSizeCanBeChanged() {
    for (SharedCache shared : new SharedCache[] {divided(64, 16, 1000), divided(64, 64, 64)}) {
      try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
        CachedTable.Blocks blocks = new CachedTable.Blocks(cache, 1000, 1);
        offer(blocks, 0, 200);
        shared.resize(16L * PAGE);
        assertThat(shared.bytes()).isBetween(12L * PAGE, 16L * PAGE);
        assertThat(BlockMemory.bytesInUse() - before).isEqualTo(shared.bytes());
        shared.resize(0);
        assertThat(shared.bytes()).isZero();
        offer(blocks, 200, 400);
        assertThat(shared.bytes()).isZero();
        shared.resize(64L * PAGE);
        offer(blocks, 400, 600);
        offer(blocks, 590, 600); // what is read again is kept even if it is full
        assertThat(shared.bytes()).isGreaterThan(60L * PAGE);
      }
    }
  }

  @Test
  void muchThatIsAddedIsTold() {
    try (SharedCache.OfStore cache = new SharedCache.OfStore(divided(640, 16, 1000))) {
      CachedTable.Blocks blocks = new CachedTable.Blocks(cache, 1000, 1);
      offer(blocks, 0, 10);
      assertThat(changes).hasValue(0);
      offer(blocks, 10, 20);
      assertThat(changes).hasValue(1);
    }
  }

  @Test
  void whatOneStoreDropsIsNotThatOfAnother() {
    SharedCache shared = divided(64, 16, 1000);
    try (SharedCache.OfStore one = new SharedCache.OfStore(shared);
        SharedCache.OfStore other = new SharedCache.OfStore(shared)) {
      offer(addPart(one).blocks, 0, 5);
      offer(addPart(other).blocks, 0, 7);
      assertThat(one.bytes(CacheUse.BLOCKS)).isEqualTo(5L * PAGE);
      assertThat(other.bytes(CacheUse.BLOCKS)).isEqualTo(7L * PAGE);
      one.close();
      assertThat(one.bytes()).isZero();
      assertThat(other.bytes()).isEqualTo(8L * PAGE);
      assertThat(shared.bytes()).isEqualTo(8L * PAGE);
    }
  }

  /** A block that is read once does not take the place of one that is read often. */
  @Test
  void aStoreThatReadsEverythingOnceDoesNotEvictWhatAnotherUses() {
    SharedCache shared = divided(300, 16, 1000);
    try (SharedCache.OfStore busy = new SharedCache.OfStore(shared);
        SharedCache.OfStore scanning = new SharedCache.OfStore(shared)) {
      CachedTable.Blocks used = new CachedTable.Blocks(busy, 1000, 1);
      offer(used, 0, 150);
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 150; i++) {
          MemoryBlock block = used.acquire(i);
          if (block != null) {
            block.release();
          }
        }
      }
      for (int table = 2; table < 7; table++) {
        offer(new CachedTable.Blocks(scanning, 1000, table * 1_000_003), 0, 1000);
      }
      assertThat(busy.bytes()).isGreaterThanOrEqualTo(140L * PAGE);
      assertThat(scanning.bytes()).as("the rest is its own").isGreaterThan(100L * PAGE);
    }
  }

  /** A table that reads again what it needs. */
  private static void readAll(CachedTable<Part> table, SharedCache.OfStore cache) {
    for (int i = 0; i < table.size(); i++) {
      if (table.use(i) == null) {
        var unused = table.add(i, new Part(cache, PAGE));
      }
    }
  }

  @Test
  void whatIsReadAgainIsCountedAndToldOfOnce() {
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    Logger log = (Logger) LoggerFactory.getLogger(SharedCache.class);
    log.addAppender(told);
    SharedCache shared = divided(64, 16, 1000);
    try (SharedCache.OfStore cache = new SharedCache.OfStore(shared)) {
      CachedTable<Part> fits = new CachedTable<>(cache, 10, 1);
      for (int round = 0; round < 200; round++) {
        readAll(fits, cache);
      }
      assertThat(cache.rereads()).isZero();
      CachedTable<Part> tooMuch = new CachedTable<>(cache, 40, 2);
      readAll(tooMuch, cache);
      assertThat(cache.rereads()).as("all of it for the first time").isZero();
      for (int round = 0; round < 200; round++) {
        readAll(tooMuch, cache);
      }
      assertThat(cache.rereads()).isBetween(20L * 200, 40L * 200);
      assertThat(told.list).hasSize(1);
      assertThat(told.list.get(0).getFormattedMessage())
          .contains(16 * PAGE + " bytes are kept")
          .contains("those in use take " + 50 * PAGE);
    } finally {
      log.detachAppender(told);
    }
  }
}
