package io.sifr.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockCacheSizeTest {
  private static final long MIB = 1 << 20;
  private static final OptionalLong BY_MEMORY = StoreOptions.builder().build().blockCacheBytes();

  @ParameterizedTest
  @CsvSource({
    "64, 16, 8", // the floor, and 4 for indexes and filters
    "256, 64, 28",
    "256, 128, 24",
    "256, 256, 4", // the heap leaves nothing
    "512, 128, 56",
    "1024, 256, 96",
    "24576, 512, 160",
    "24576, 6144, 288"
  })
  void theDefaultFollowsTheMemoryThatTheHeapLeaves(long memory, long heap, long cache) {
    assertThat(BlockCacheSize.of(BY_MEMORY, OptionalLong.of(memory * MIB), heap * MIB))
        .isEqualTo(cache * MIB);
  }

  @Test
  void memoryThatIsNotKnownIsTakenForEnough() {
    assertThat(BlockCacheSize.of(BY_MEMORY, OptionalLong.empty(), 256 * MIB))
        .isEqualTo((32 + 64) * MIB);
  }

  @Test
  void whatIsSaidCountsHoweverLittleMemoryThereIs() {
    OptionalLong memory = OptionalLong.of(256 * MIB);
    for (long bytes : new long[] {0, 8192, 64 * MIB, 1L << 40}) {
      OptionalLong wanted = StoreOptions.builder().blockCacheBytes(bytes).build().blockCacheBytes();
      assertThat(BlockCacheSize.of(wanted, memory, 64 * MIB)).isEqualTo(bytes);
    }
    assertThat(BlockCacheSize.isLarge(64 * MIB, memory)).isFalse();
    assertThat(BlockCacheSize.isLarge(64 * MIB + 1, memory)).isTrue();
    assertThat(BlockCacheSize.isLarge(1L << 40, OptionalLong.empty())).isFalse();
  }
}
