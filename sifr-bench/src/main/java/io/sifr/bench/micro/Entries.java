package io.sifr.bench.micro;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Entries of the shape the SifrDB papers measure with: keys of 23 bytes, "user" and 19 decimal
 * digits; values of 1 to 200 bytes, all lengths equally likely. Their keys ascend with their index
 * and are random within equal intervals of the key space. An entry is a function of its index, so
 * none is stored. Immutable.
 */
final class Entries {
  static final int KEY_BYTES = 23;
  static final int MAX_VALUE_BYTES = 200;

  private static final byte[] PREFIX = "user".getBytes(StandardCharsets.US_ASCII);
  private static final int SAMPLE = 1 << 16;

  private final int count;
  private final long seed;

  /** Size of the interval of the key space for one entry; its key lies in the first half. */
  private final long interval;

  /**
   * Some entries.
   *
   * @param count number of entries
   * @param seed other seeds give other keys and values
   */
  Entries(int count, int seed) {
    this.count = count;
    this.seed = (long) seed << 32;
    this.interval = Long.MAX_VALUE / count;
  }

  int count() {
    return count;
  }

  byte[] key(int index) {
    return keyOf(number(index));
  }

  /** A key between those of this entry and the next. */
  byte[] absentKey(int index) {
    return keyOf(number(index) + interval / 2);
  }

  byte[] value(int index) {
    SplittableRandom random = new SplittableRandom(~(seed + index));
    byte[] value = new byte[random.nextInt(1, MAX_VALUE_BYTES + 1)];
    random.nextBytes(value);
    return value;
  }

  /** A fixed sequence of random indexes, longer than branch predictors can learn. */
  IntStream sample() {
    return new SplittableRandom(seed).ints(SAMPLE, 0, count);
  }

  /** All indexes in a fixed random order. */
  int[] shuffled() {
    SplittableRandom random = new SplittableRandom(seed);
    int[] indexes = IntStream.range(0, count).toArray();
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int index = indexes[i];
      indexes[i] = indexes[other];
      indexes[other] = index;
    }
    return indexes;
  }

  private long number(int index) {
    return index * interval + new SplittableRandom(seed + index).nextLong(interval / 2);
  }

  private static byte[] keyOf(long number) {
    byte[] key = Arrays.copyOf(PREFIX, KEY_BYTES);
    long rest = number;
    for (int i = KEY_BYTES - 1; i >= PREFIX.length; i--) {
      key[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return key;
  }
}
