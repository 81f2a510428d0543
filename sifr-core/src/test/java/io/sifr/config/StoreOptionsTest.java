package io.sifr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class StoreOptionsTest {
  /** A setting that is a number: how to set and read it, and where it ends. */
  record Setting(
      String name,
      BiFunction<StoreOptions.Builder, Long, StoreOptions.Builder> set,
      ToLongFunction<StoreOptions> get,
      long smallest,
      long largest) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Setting> settings() {
    return Stream.of(
        new Setting(
            "writeBufferBytes",
            StoreOptions.Builder::writeBufferBytes,
            StoreOptions::writeBufferBytes,
            4096,
            1L << 30),
        new Setting(
            "maxImmutableMemtables",
            (builder, value) -> builder.maxImmutableMemtables(Math.toIntExact(value)),
            StoreOptions::maxImmutableMemtables,
            1,
            64),
        new Setting(
            "splitUnitBytes",
            StoreOptions.Builder::splitUnitBytes,
            StoreOptions::splitUnitBytes,
            4096,
            1L << 30),
        new Setting(
            "growthFactor",
            (builder, value) -> builder.growthFactor(Math.toIntExact(value)),
            StoreOptions::growthFactor,
            2,
            64),
        new Setting(
            "logSegmentBytes",
            (builder, value) -> builder.logSegmentBytes(Math.toIntExact(value)),
            StoreOptions::logSegmentBytes,
            4096,
            1L << 30),
        new Setting(
            "maxLogBytes",
            StoreOptions.Builder::maxLogBytes,
            StoreOptions::maxLogBytes,
            1 << 16,
            1L << 40),
        new Setting(
            "keptLogBytes",
            StoreOptions.Builder::keptLogBytes,
            StoreOptions::keptLogBytes,
            0,
            1 << 30),
        new Setting(
            "mergeThreads",
            (builder, value) -> builder.mergeThreads(Math.toIntExact(value)),
            StoreOptions::mergeThreads,
            1,
            64),
        new Setting(
            "blockCacheBytes",
            StoreOptions.Builder::blockCacheBytes,
            options -> options.blockCacheBytes().orElseThrow(),
            0,
            1L << 40),
        new Setting(
            "maxOpenSsts",
            (builder, value) -> builder.maxOpenSsts(Math.toIntExact(value)),
            StoreOptions::maxOpenSsts,
            16,
            1_000_000),
        new Setting(
            "searchThreads",
            (builder, value) -> builder.searchThreads(Math.toIntExact(value)),
            StoreOptions::searchThreads,
            1,
            256),
        new Setting(
            "filterBitsPerKey",
            (builder, value) -> builder.filterBitsPerKey(Math.toIntExact(value)),
            StoreOptions::filterBitsPerKey,
            1,
            32),
        new Setting(
            "filterCacheBytes",
            StoreOptions.Builder::filterCacheBytes,
            StoreOptions::filterCacheBytes,
            0,
            1L << 40));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void rangesAreKeptAndNamed(Setting setting) {
    for (long fine : new long[] {setting.smallest(), setting.largest()}) {
      StoreOptions options = setting.set().apply(StoreOptions.builder(), fine).build();
      assertThat(setting.get().applyAsLong(options)).isEqualTo(fine);
      assertThat(options.toString()).contains(setting.name() + "=" + fine);
    }
    for (long bad : new long[] {setting.smallest() - 1, setting.largest() + 1, -1}) {
      assertThatThrownBy(() -> setting.set().apply(StoreOptions.builder(), bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "%s is %d; allowed: %d to %d",
              setting.name(), bad, setting.smallest(), setting.largest());
    }
  }

  @Test
  void logSegmentsAreWholePages() {
    assertThat(StoreOptions.builder().logSegmentBytes(4097).build().logSegmentBytes())
        .isEqualTo(8192);
  }

  @ParameterizedTest
  @CsvSource({"4096, 1048576", "2000001, 2002944", "4194304, 4194304", "1073741824, 16777216"})
  void logSegmentsAreAsLargeAsWriteBuffersUnlessToldOtherwise(long buffer, int segment) {
    assertThat(StoreOptions.builder().writeBufferBytes(buffer).build().logSegmentBytes())
        .isEqualTo(segment);
    assertThat(
            StoreOptions.builder()
                .logSegmentBytes(8192)
                .writeBufferBytes(buffer)
                .build()
                .logSegmentBytes())
        .isEqualTo(8192);
  }

  @Test
  void theBlockCacheFollowsTheMemoryUnlessToldOtherwise() {
    assertThat(StoreOptions.DEFAULT.blockCacheBytes()).isEmpty();
    assertThat(StoreOptions.DEFAULT.toString()).contains("blockCacheBytes=by memory");
  }

  @Test
  void choicesAreKept() {
    StoreOptions options =
        StoreOptions.builder()
            .createIfMissing(false)
            .durability(Durability.SYNC)
            .mergeTrigger(MergeTrigger.LAZY)
            .logAccess(LogAccess.WRITTEN)
            .searchScheme(SearchScheme.LAST_STAGE)
            .filterMode(FilterMode.HOT)
            .build();
    assertThat(options.searchScheme()).isEqualTo(SearchScheme.LAST_STAGE);
    assertThat(options.toString()).contains("searchScheme=LAST_STAGE");
    assertThat(options.createIfMissing()).isFalse();
    assertThat(options.durability()).isEqualTo(Durability.SYNC);
    assertThat(options.mergeTrigger()).isEqualTo(MergeTrigger.LAZY);
    assertThat(options.logAccess()).isEqualTo(LogAccess.WRITTEN);
    assertThat(options.filterMode()).isEqualTo(FilterMode.HOT);
    assertThat(options.toString())
        .contains(
            "createIfMissing=false", "durability=SYNC", "mergeTrigger=LAZY", "WRITTEN", "HOT");
  }

  @Test
  void aReadMayHaveItsOwnScheme() {
    assertThat(ReadOptions.DEFAULT.searchScheme()).isNull();
    assertThat(ReadOptions.DEFAULT).hasToString("searchScheme=the store's");
    ReadOptions serial = ReadOptions.builder().searchScheme(SearchScheme.SERIAL).build();
    assertThat(serial.searchScheme()).isEqualTo(SearchScheme.SERIAL);
    assertThat(serial).hasToString("searchScheme=SERIAL");
  }
}
