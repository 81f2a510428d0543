package io.sifr.internal.sst.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeySketchTest {
  private static KeySketch of(long[] hashes, int from, int to) {
    return of(hashes, from, to, false);
  }

  private static KeySketch of(long[] hashes, int from, int to, boolean isSeparated) {
    KeySketch.Builder builder = new KeySketch.Builder();
    for (int i = from; i < to; i++) {
      builder.add(hashes[i], isTombstone(hashes[i]), isSeparated);
    }
    return builder.toSketch();
  }

  private static boolean isTombstone(long hash) {
    return (hash & 3) == 0;
  }

  private static long[] sample(KeySketch sketch, int level) {
    return LongStream.range(0, sketch.sizeAt(level)).map(i -> sketch.get((int) i)).toArray();
  }

  private static long[] expected(long[] hashes, int level) {
    return LongStream.of(hashes)
        .filter(hash -> level == 0 || hash >>> (Long.SIZE - level) == 0)
        .map(hash -> 2 * (hash >>> 24) + (isTombstone(hash) ? 1 : 0))
        .sorted()
        .toArray();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "32, 32, 32", "33, 8, 32", "20000, 10, 32", "4000000, 180, 256"})
  void hasAllKeysOfItsLevelAndNoMoreThanNeeded(int keys, int least, int most) {
    long[] hashes = new Random(keys).longs(keys).toArray();
    KeySketch sketch = of(hashes, 0, keys);
    assertThat(sketch.size()).isBetween(least / 2, most);
    for (int level = sketch.level(); level < sketch.level() + 4; level++) {
      assertThat(sample(sketch, level)).isEqualTo(expected(hashes, level));
    }
    assertThat(sketch.size() * Math.pow(2, sketch.level())).isCloseTo(keys, within(0.5 * keys));
  }

  @ParameterizedTest
  @CsvSource({"32, 32, 32", "128, 16, 32", "512, 64, 128", "20000, 128, 256"})
  void keysWithSeparatedValuesAreSampledMoreOften(int keys, int least, int most) {
    KeySketch sketch = of(new Random(keys).longs(keys).toArray(), 0, keys, true);
    assertThat(sketch.size()).isBetween(least / 2, most);
    assertThat(sketch.size() * Math.pow(2, sketch.level())).isCloseTo(keys, within(0.5 * keys));
  }

  @Test
  void aUnionHasAllKeysOfTheHighestLevel() {
    long[] hashes = new Random(5).longs(50_000).toArray();
    List<KeySketch> parts =
        List.of(of(hashes, 0, 40), of(hashes, 40, 30_000), of(hashes, 30_000, 50_000));
    KeySketch union = KeySketch.union(parts, 1024);
    assertThat(union.level())
        .isEqualTo(parts.stream().mapToInt(KeySketch::level).max().orElseThrow());
    assertThat(sample(union, union.level())).isEqualTo(expected(hashes, union.level()));
    KeySketch smaller = KeySketch.union(parts, 20);
    assertThat(smaller.size()).isBetween(1, 20);
    assertThat(sample(smaller, smaller.level())).isEqualTo(expected(hashes, smaller.level()));
    assertThat(KeySketch.union(List.of(), 20).size()).isZero();
  }

  @Test
  void hashesThatAreTheSameBelongToTheSameLevel() {
    long[] sample = {2, 2, 3, 1L << 40, 1L << 40, (1L << 40) + 1};
    KeySketch sketch = KeySketch.of(0, sample);
    assertThat(sketch.sizeAt(1)).isEqualTo(3);
    assertThat(sketch.sizeAt(40)).isZero();
  }

  @Test
  void whatIsNoSampleIsRefused() {
    for (long[] wrong : new long[][] {{2, 1}, {-1}, {1L << 36}}) {
      assertThatThrownBy(() -> KeySketch.of(5, wrong)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
