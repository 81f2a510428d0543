package io.sifr.internal.compaction.cut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.StoreOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SstSizesTest {
  private static final int BEFORE_GROWTH = 9000;
  private static final long MIB = 1 << 20;
  private static final long GB = 1_000_000_000;

  @Test
  void aStoreOfLessThan18GbIsWrittenInSplitUnits() {
    for (long bytes : new long[] {0, 1, GB, 18 * GB, 9000 * 2 * MIB}) {
      SstSizes sizes = SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, bytes);
      assertThat(sizes.targetBytes()).isEqualTo(2 * MIB);
      assertThat(sizes.flushBytes()).isEqualTo(2 * MIB);
      assertThat(sizes.areGrown()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"26, 3", "60, 11", "100, 24", "190, 63", "200, 64", "1000, 64", "100000, 64"})
  void aLargerOneInLargerSsts(long gb, long mib) {
    assertThat(SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, gb * GB).targetBytes() / MIB)
        .isEqualTo(mib);
  }

  @Test
  void theyNeverShrinkWhileTheStoreGrowsAndStayFew() {
    long last = 0;
    for (double bytes = GB; bytes < 1e12; bytes *= 1.03) {
      SstSizes sizes = SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, (long) bytes);
      assertThat(sizes.targetBytes()).isGreaterThanOrEqualTo(last);
      // A tree that holds nearly everything, and the spare SSTs of the others.
      assertThat(sizes.few((long) bytes) + 31 * sizes.spareSsts()).isLessThan(21_000);
      last = sizes.targetBytes();
    }
  }

  @Test
  void aFlushIsAtLeastTwoSsts() {
    assertThat(SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, 500 * GB).flushBytes())
        .isEqualTo(8 * MIB);
    StoreOptions small = StoreOptions.builder().writeBufferBytes(MIB).build();
    assertThat(SstSizes.of(small, BEFORE_GROWTH, 500 * GB).flushBytes()).isEqualTo(2 * MIB);
  }

  /** The SSTs of a compressed flush are as large as others: they hold more. */
  @Test
  void sizesInBytesOfKeysAndValuesAreLarger() {
    SstSizes sizes = SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, GB).inRawBytes(0.4);
    assertThat(sizes.flushBytes()).isEqualTo(5 * MIB);
    StoreOptions small = StoreOptions.builder().writeBufferBytes(6 * MIB).build();
    assertThat(SstSizes.of(small, BEFORE_GROWTH, GB).inRawBytes(0.1).flushBytes())
        .as("still two SSTs a flush")
        .isEqualTo(3 * MIB);
    assertThat(SstSizes.of(small, BEFORE_GROWTH, GB).inRawBytes(1))
        .isEqualTo(SstSizes.of(small, BEFORE_GROWTH, GB));
  }

  @Test
  void whatIsSmallOrCloseDoesNotDependOnTheStore() {
    SstSizes few = SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, GB);
    SstSizes many = SstSizes.of(StoreOptions.DEFAULT, BEFORE_GROWTH, 500 * GB);
    assertThat(many.regularBytes()).isEqualTo(few.regularBytes());
    for (SstSizes sizes : new SstSizes[] {few, many}) {
      assertThat(sizes.isSmall(2 * MIB / 6 - 1)).isTrue();
      assertThat(sizes.isSmall(2 * MIB / 6)).isFalse();
      assertThat(sizes.isClose(MIB / 16 - 1)).isTrue();
      assertThat(sizes.isClose(MIB / 16)).isFalse();
    }
  }

  @Test
  void aMaximumThatIsNotAboveTheSplitUnitTurnsGrowthOff() {
    StoreOptions off = StoreOptions.builder().maxSstBytes(MIB).build();
    assertThat(SstSizes.of(off, BEFORE_GROWTH, 500 * GB).targetBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void aPartGetsItsShareOfTheSpareSsts() {
    SstSizes sizes = new SstSizes(10, 20, 100, 80);
    assertThat(sizes.forPart(1, 4)).isEqualTo(new SstSizes(10, 20, 100, 20));
    assertThat(sizes.forPart(5, 4)).isEqualTo(sizes);
    assertThat(sizes.forPart(0, 0).spareSsts()).isZero();
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    assertThatThrownBy(() -> new SstSizes(0, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("splitUnitBytes is 0");
    assertThatThrownBy(() -> new SstSizes(2, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("targetBytes is 1");
  }
}
