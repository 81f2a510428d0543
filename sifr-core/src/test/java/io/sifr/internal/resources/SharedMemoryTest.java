package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.memtable.Memtable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedMemoryTest {
  private static final int MIB = 1 << 20;
  private static final int ITEM = 4096;

  private final SharedMemory shared =
      SharedMemory.of(StoreOptions.builder().memoryBudgetBytes(4 * MIB).build());

  private static final class Item extends CacheArea.Item {
    @Override
    public int bytes() {
      return ITEM;
    }

    @Override
    public CacheUse use() {
      return CacheUse.FILTERS;
    }

    @Override
    protected void dropped() {}
  }

  /** Adds more than fits. */
  private static void fill(SharedCache.OfStore cache) {
    CachedTable<Item> table = new CachedTable<>(cache, 3000, 1);
    for (int i = 0; i < 3000; i++) {
      table.add(i, new Item());
    }
  }

  private static void fill(Memtable memtable, int bytes) {
    byte[] value = new byte[1000];
    for (int i = 0; memtable.allocatedBytes() < bytes; i++) {
      byte[] key = {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
      memtable.add((i + 1L) << 8, key, 0, key.length, value, 0, value.length);
    }
  }

  @Test
  void theCacheTakesWhatNothingElseUses() {
    try (StoreMemory store = shared.join()) {
      fill(store.cache());
      long most = shared.use().cacheBytes();
      assertThat(most).as("but for what is idle").isBetween(2L * MIB, 3L * MIB);

      Memtable memtable = new Memtable(16 * MIB, store.memtables());
      fill(memtable, MIB);
      MemoryUse use = shared.use();
      assertThat(use.writeBufferBytes()).isGreaterThanOrEqualTo(MIB);
      // The items are like indexes and filters: a quarter of the cache is for blocks.
      assertThat(use.cacheBytes()).as("at once").isLessThan(most - MIB * 3 / 4 + MIB / 8);
      assertThat(use.writeBufferBytes() + use.cacheBytes()).isLessThan(4L * MIB + MIB / 8);

      memtable.release();
      fill(store.cache());
      assertThat(shared.use().cacheBytes()).isGreaterThan(most - MIB / 8);
    }
  }

  @Test
  void manyThatReadAheadReadLessAtATime() {
    long before = BlockMemory.bytesInUse();
    try (StoreMemory store = shared.join()) {
      long limit = MIB / 2;
      assertThat(store.readAhead().most()).isEqualTo(limit / 8);
      List<MemoryBlock> held = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int bytes = (int) Math.max(ITEM, store.readAhead().most() / ITEM * ITEM);
        held.add(MemoryBlock.allocate(bytes, store.readAhead()));
      }
      assertThat(store.readAhead().most()).isLessThan(ITEM);
      assertThat(store.readAhead().used())
          .isEqualTo(BlockMemory.bytesInUse() - before)
          .isEqualTo(shared.use().readAheadBytes())
          .as("only single blocks are beyond the limit")
          .isLessThan(limit + 100 * ITEM);
      held.forEach(MemoryBlock::release);
      assertThat(store.readAhead().used()).isZero();
      assertThat(store.readAhead().most()).isEqualTo(limit / 8);
    }
  }

  @Test
  void readAheadTakesMemoryFromTheCache() {
    SharedMemory little = SharedMemory.of(StoreOptions.builder().memoryBudgetBytes(MIB).build());
    try (StoreMemory store = little.join()) {
      fill(store.cache());
      long most = little.use().cacheBytes();
      MemoryBlock block = MemoryBlock.allocate(256 << 10, store.readAhead());
      assertThat(little.use().cacheBytes()).isLessThan(most - (150 << 10));
      block.release();
    }
  }

  @Test
  void aStoreThatIsClosedGivesBackItsPart() {
    try (StoreMemory stays = shared.join()) {
      new CachedTable<Item>(stays.cache(), 1, 7).add(0, new Item());
      fill(new Memtable(MIB, stays.memtables()), 4096);
      long writeBuffers = stays.memtables().used();
      try (StoreMemory ends = shared.join()) {
        new CachedTable<Item>(ends.cache(), 1, 8).add(0, new Item());
        fill(new Memtable(MIB, ends.memtables()), 100_000);
        assertThat(stays.ofAll().cacheBytes()).isEqualTo(2 * ITEM);
        assertThat(ends.cache().bytes(CacheUse.FILTERS)).isEqualTo(ITEM);
      }
      assertThat(stays.ofAll().cacheBytes()).isEqualTo(ITEM);
      assertThat(stays.ofAll().writeBufferBytes()).isEqualTo(writeBuffers);
      assertThat(stays.ofAll().budgetBytes()).isEqualTo(4 * MIB);
    }
  }
}
