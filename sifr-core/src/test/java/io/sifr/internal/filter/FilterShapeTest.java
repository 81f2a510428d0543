package io.sifr.internal.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterShapeTest {
  /** Keys of an SST of 2 MiB with entries of 123 bytes. */
  private static final int KEYS = 17_000;

  private static final int ABSENT = 200_000;

  private static byte[] binary(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static byte[] decimal(long number) {
    byte[] key = "user0000000000000000000".getBytes(StandardCharsets.US_ASCII);
    long left = number;
    for (int i = key.length - 1; left > 0; i--) {
      key[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    return key;
  }

  /** A filter of some keys. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Filter(FilterShape shape, long[] words) {
    static Filter of(KeyHash.Buffer hashes) {
      FilterShape shape = Objects.requireNonNull(hashes.shape());
      return new Filter(shape, hashes.toFilter(shape));
    }

    static Filter of(int keys, int bitsPerKey, LongFunction<byte[]> key) {
      KeyHash.Buffer hashes = new KeyHash.Buffer(bitsPerKey);
      for (int i = 0; i < keys; i++) {
        byte[] bytes = key.apply(i);
        hashes.add(KeyHash.of(bytes, 0, bytes.length));
      }
      return of(hashes);
    }

    boolean mayHold(byte[] key) {
      long hash = KeyHash.of(key, 0, key.length);
      return shape.mayHold(hash, words, shape.block(hash) * FilterShape.BLOCK_WORDS);
    }
  }

  /** What theory gives for blocks of 512 bits, in percent; measured rates are as good. */
  @ParameterizedTest
  @CsvSource({
    "1, 63.3",
    "2, 40.1",
    "4, 15.0",
    "6, 5.9",
    "8, 2.40",
    "10, 0.999",
    "12, 0.44",
    "14, 0.20",
    "16, 0.095",
    "20, 0.03",
    "32, 0.004"
  })
  void fewAbsentKeysPass(int bitsPerKey, double percent) {
    SplittableRandom random = new SplittableRandom(bitsPerKey);
    long base = random.nextLong(1L << 40);
    assertThat(rate(bitsPerKey, i -> binary(base + 2 * i), i -> binary(base + 2 * i + 1)))
        .as("neighbouring binary keys")
        .isLessThan(percent);
    assertThat(rate(bitsPerKey, i -> decimal(base + 2 * i), i -> decimal(base + 2 * i + 1)))
        .as("neighbouring decimal keys")
        .isLessThan(percent);
    assertThat(
            rate(
                bitsPerKey,
                i -> binary(random.nextLong()),
                i -> decimal(random.nextLong(Long.MAX_VALUE))))
        .as("random keys")
        .isLessThan(percent);
  }

  private static double rate(
      int bitsPerKey, LongFunction<byte[]> present, LongFunction<byte[]> absent) {
    long passed = 0;
    for (int filters = 0; filters < 2; filters++) {
      Filter filter = Filter.of(KEYS, bitsPerKey, present);
      for (int i = 0; i < ABSENT; i++) {
        passed += filter.mayHold(absent.apply(i)) ? 1 : 0;
      }
    }
    return 100.0 * passed / (2 * ABSENT);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6, 7, 10, 11, 12, 13, 24, 32})
  void everyKeyPasses(int bitsPerKey) {
    for (int keys : new int[] {1, 2, 51, 52, 1000, 40_000}) {
      SplittableRandom random = new SplittableRandom(keys);
      byte[][] all = new byte[keys][];
      Arrays.setAll(all, i -> randomKey(random));
      Filter filter = Filter.of(keys, bitsPerKey, i -> all[(int) i]);
      for (byte[] key : all) {
        assertThat(filter.mayHold(key)).isTrue();
      }
      assertThat(8 * filter.words().length)
          .isBetween(keys * bitsPerKey / 8, keys * bitsPerKey / 8 + 64);
    }
  }

  private static byte[] randomKey(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(40)];
    random.nextBytes(key);
    return key;
  }

  @Test
  void theCollectorIsUsedAgain() {
    KeyHash.Buffer hashes = new KeyHash.Buffer(10);
    assertThat(hashes.shape()).isNull();
    hashes.add(KeyHash.of(binary(1), 0, 8));
    hashes.clear();
    assertThat(hashes.shape()).isNull();
    hashes.add(KeyHash.of(binary(2), 0, 8));
    Filter filter = Filter.of(hashes);
    assertThat(filter.shape().blocks()).isEqualTo(1);
    assertThat(filter.mayHold(binary(2))).isTrue();
    assertThat(filter.mayHold(binary(1))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, true",
    "1, 32, true",
    "1310720, 10, true", // of 2^26 keys
    "1310721, 10, false",
    "0, 10, false",
    "-1, 10, false",
    "1, 0, false",
    "1, 33, false"
  })
  void onlySomeShapesAreAllowed(int blocks, int bitsPerKey, boolean isAllowed) {
    assertThat(FilterShape.isAllowed(blocks, bitsPerKey)).isEqualTo(isAllowed);
  }
}
