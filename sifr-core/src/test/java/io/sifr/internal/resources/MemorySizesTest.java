package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.resources.SharedMemory.Sizes.Bounds;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemorySizesTest {
  private static final long MIB = 1 << 20;

  private static SharedMemory.Sizes sizes(
      StoreOptions.Builder options, long memoryMib, long heapMib) {
    long heap = heapMib * MIB;
    // Unless an option of the JVM says otherwise, it allows as much off the heap as on it.
    return SharedMemory.Sizes.of(
        options.build(), new Bounds(OptionalLong.of(memoryMib * MIB), heap, heap));
  }

  @ParameterizedTest
  @CsvSource({
    "64, 16, 8, 4, 1", // the floor, and 4 for indexes and filters
    "256, 64, 28, 16, 4",
    "256, 128, 24, 32, 8",
    "256, 256, 4, 64, 1", // the heap leaves nothing
    "512, 128, 56, 32, 8",
    "1024, 256, 96, 64, 16",
    "24576, 512, 160, 128, 32",
    "24576, 6144, 1056, 1536, 64"
  })
  void theDefaultFollowsTheMemoryAndTheHeap(
      long memory, long heap, long cache, long memtables, long readAhead) {
    SharedMemory.Sizes sizes = sizes(StoreOptions.builder(), memory, heap);
    assertThat(sizes.cache()).isEqualTo(cache * MIB);
    assertThat(sizes.memtables()).isEqualTo(memtables * MIB);
    assertThat(sizes.readAhead()).isEqualTo(readAhead * MIB);
    assertThat(sizes.budget()).isEqualTo((cache + memtables + readAhead) * MIB);
  }

  @Test
  void memoryThatIsNotKnownIsTakenForEnough() {
    Bounds bounds = new Bounds(OptionalLong.empty(), 256 * MIB, 256 * MIB);
    SharedMemory.Sizes sizes = SharedMemory.Sizes.of(StoreOptions.DEFAULT, bounds);
    assertThat(sizes.cache()).isEqualTo((32 + 64) * MIB);
    assertThat(sizes.readAhead()).isEqualTo(16 * MIB);
  }

  /** A container of 256 MiB, of which the JVM takes a quarter as heap by default. */
  @Test
  void inASmallContainerHalfTheHeapAndATenthOfTheRestAreUsed() {
    SharedMemory.Sizes sizes = sizes(StoreOptions.builder(), 256, 64);
    assertThat(sizes.memtables() + Math.min(sizes.cache(), sizes.cacheOnHeap()))
        .isEqualTo(32 * MIB);
    assertThat(sizes.cache() - sizes.cacheOnHeap() + sizes.readAhead()).isEqualTo(16 * MIB);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 64, 0.5, 0.125",
    "64, 64, 16, 4", // write buffers: a quarter of the heap
    "64, 6144, 32, 8",
    "1024, 6144, 512, 64", // read-ahead needs no more
    "1024, 64, 16, 4", // and no more than a sixteenth of what the JVM allows
  })
  void aBudgetIsDivided(long budget, long heap, double memtables, double readAhead) {
    SharedMemory.Sizes sizes =
        sizes(StoreOptions.builder().memoryBudgetBytes(budget * MIB), 24 * 1024, heap);
    assertThat(sizes.budget()).isEqualTo(budget * MIB);
    assertThat(sizes.cache()).as("what nothing else takes").isEqualTo(budget * MIB);
    assertThat(sizes.memtables()).isEqualTo((long) (memtables * MIB));
    assertThat(sizes.readAhead()).isEqualTo((long) (readAhead * MIB));
  }

  @Test
  void aLargeBudgetWithASmallHeapLeavesHalfOfTheHeap() {
    SharedMemory.Sizes sizes =
        sizes(StoreOptions.builder().memoryBudgetBytes(16L << 30), 64 * 1024, 1024);
    assertThat(sizes.memtables() + sizes.cacheOnHeap()).isEqualTo(512 * MIB);
    assertThat(sizes.cacheOffHeap()).as("what the JVM allows").isEqualTo(512 * MIB);
    Bounds bounds = new Bounds(OptionalLong.of(64L << 30), 1 << 30, 32L << 30);
    sizes =
        SharedMemory.Sizes.of(StoreOptions.builder().memoryBudgetBytes(16L << 30).build(), bounds);
    assertThat(sizes.cacheOffHeap()).as("each block takes objects").isEqualTo(2048 * MIB);
  }

  /** A user who says how much is for blocks gets no less for indexes and filters. */
  @Test
  void theSizeOfTheBlockCacheIsThatOfBlocks() {
    for (long bytes : new long[] {0, 8192, 8 * MIB, 64 * MIB}) {
      SharedMemory.Sizes sizes =
          sizes(StoreOptions.builder().blockCacheBytes(bytes), 24 * 1024, 1024);
      assertThat(sizes.cacheOffHeap()).isEqualTo(bytes);
      assertThat(sizes.cache()).as("with indexes and filters").isEqualTo(bytes + 256 * MIB);
      assertThat(sizes.cacheOnHeap()).isEqualTo(256 * MIB);
    }
    StoreOptions.Builder options = StoreOptions.builder().totalWriteBufferBytes(1 << 30);
    SharedMemory.Sizes sizes = sizes(options, 256, 64);
    assertThat(sizes.memtables()).isEqualTo(1 << 30);
    assertThat(sizes.budget()).isEqualTo((1 << 30) + 32 * MIB);
  }

  /** The heap, the JVM itself and blocks: more than there is, and the system ends the process. */
  @ParameterizedTest
  @CsvSource({
    "256, 86, 64, 26", // a third of a container as heap: 86, 26 and 144
    "256, 64, 64, 32", // as much as the JVM allows
    "128, 64, 64, 4", // not less, however little there is
    "24576, 6144, 512, 512"
  })
  void blocksLeaveRoomForTheJvmItself(long memory, long heap, long cache, long offHeap) {
    SharedMemory.Sizes sizes =
        sizes(StoreOptions.builder().blockCacheBytes(cache * MIB), memory, heap);
    assertThat(sizes.cacheOffHeap()).isEqualTo(offHeap * MIB);
  }

  @Test
  void nothingIsLargerThanABudget() {
    SharedMemory.Sizes sizes =
        sizes(
            StoreOptions.builder()
                .memoryBudgetBytes(4 * MIB)
                .blockCacheBytes(1L << 40)
                .totalWriteBufferBytes(1 << 30),
            256,
            64);
    assertThat(sizes.cache()).isEqualTo(4 * MIB);
    assertThat(sizes.memtables()).isEqualTo(4 * MIB);
    sizes = sizes(StoreOptions.builder().memoryBudgetBytes(4 * MIB).blockCacheBytes(8192), 256, 64);
    assertThat(sizes.cache()).isEqualTo(4 * MIB);
    assertThat(sizes.cacheOffHeap()).isEqualTo(8192);
  }

  @Test
  void whatIsLargeIsWarnedOf() {
    OptionalLong memory = OptionalLong.of(256 * MIB);
    assertThat(SharedMemory.Sizes.isLarge(OptionalLong.of(64 * MIB), memory, 4)).isFalse();
    assertThat(SharedMemory.Sizes.isLarge(OptionalLong.of(64 * MIB + 1), memory, 4)).isTrue();
    assertThat(SharedMemory.Sizes.isLarge(OptionalLong.of(1L << 40), OptionalLong.empty(), 4))
        .isFalse();
    assertThat(SharedMemory.Sizes.isLarge(OptionalLong.empty(), memory, 4)).isFalse();
  }
}
