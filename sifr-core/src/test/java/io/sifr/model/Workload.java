package io.sifr.model;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * A load for the {@link SplitForestSimulation}: numbers in the order of writing, and the keys they
 * stand for, in the same order as the numbers (as unsigned ones).
 */
enum Workload {
  ASCENDING,
  ASCENDING_GAPPED {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return 1000 * i + random.nextInt(1000);
    }
  },
  DESCENDING {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return n - i;
    }
  },
  RANDOM {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return mix(i) >>> 1;
    }
  },
  STREAMS_4 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return stream(i, 4);
    }
  },
  STREAMS_8 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return stream(i, 8);
    }
  },
  STREAMS_100 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return stream(i, 100);
    }
  },
  STREAMS_1000 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return stream(i, 1000);
    }
  },
  OUTLIERS_0_01_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return outlier(i, 0.0001, random);
    }
  },
  OUTLIERS_0_1_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return outlier(i, 0.001, random);
    }
  },
  OUTLIERS_1_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return outlier(i, 0.01, random);
    }
  },
  WIDE_OUTLIERS_0_01_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextDouble() < 0.0001 ? random.nextLong() >>> 1 : (1L << 61) + (i << 8);
    }
  },
  WIDE_OUTLIERS_0_1_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextDouble() < 0.001 ? random.nextLong() >>> 1 : (1L << 61) + (i << 8);
    }
  },
  WIDE_OUTLIERS_1_PERCENT {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextDouble() < 0.01 ? random.nextLong() >>> 1 : (1L << 61) + (i << 8);
    }
  },
  HALF_RANDOM {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextBoolean() ? random.nextLong() >>> 1 : (1L << 61) + (i << 8);
    }
  },
  LATE_1000 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return late(i, 1000, random);
    }
  },
  LATE_100000 {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return late(i, 100_000, random);
    }
  },
  OVERWRITE_RANDOM {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return mix(random.nextLong(n / 5)) >>> 1;
    }
  },
  /** Nine of ten writes go to a tenth of the keys. */
  OVERWRITE_SKEWED {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return mix(random.nextInt(10) > 0 ? random.nextLong(n / 50) : random.nextLong(n / 5)) >>> 1;
    }
  },
  /** Ascending again and again over the same range. */
  OVERWRITE_ROUNDS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return i % (n / 5);
    }
  },
  GAUSSIAN {
    @Override
    long number(long i, long n, SplittableRandom random) {
      double sum = 0;
      for (int k = 0; k < 12; k++) {
        sum += random.nextDouble();
      }
      return (long) (sum / 12 * Long.MAX_VALUE);
    }
  },
  PARETO {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return (long) Math.min(9e18, 1e9 / (1 - random.nextDouble()));
    }
  },
  UUID {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return mix(i);
    }

    @Override
    byte[] key(long number) {
      StringBuilder uuid = new StringBuilder(36);
      Text.number(uuid, number >>> 32, 8, 16).append('-');
      Text.number(uuid, number >>> 16 & 0xFFFF, 4, 16).append("-4");
      Text.number(uuid, number >>> 4 & 0xFFF, 3, 16).append("-b");
      Text.number(uuid, (number << 8 & 0xF00) | mix(number) >>> 56, 3, 16).append('-');
      return ascii(Text.number(uuid, mix(number) & 0xFFFF_FFFF_FFFFL, 12, 16).toString());
    }
  },
  /** Words of one to four syllables, as skewed as a text, with a number to make them differ. */
  WORDS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return words(random);
    }

    @Override
    byte[] key(long number) {
      return ascii(Text.words(number));
    }
  },
  /** URLs of 2000 hosts, each with its own paths, in random order. */
  URLS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return skewed(random, 2000) << 40 | skewed(random, 4000) << 24 | random.nextInt(1 << 24);
    }

    @Override
    byte[] key(long number) {
      return ascii(Text.url(number));
    }
  },
  /** URLs as a crawler brings them: host after host. */
  URLS_BY_HOST {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return (mix(i / 20_000) >>> 1) % 2000 << 40
          | skewed(random, 4000) << 24
          | random.nextInt(1 << 24);
    }

    @Override
    byte[] key(long number) {
      return ascii(Text.url(number));
    }
  },
  /** Times of day in text, about 30 a second; minutes and hours carry at 60 and 24. */
  TIMESTAMPS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return 33 * i + random.nextInt(33);
    }

    @Override
    byte[] key(long number) {
      return ascii(Text.time(number));
    }
  },
  TIMESTAMPS_OUTLIERS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextDouble() < 0.0001
          ? random.nextLong(33 * i + 1)
          : 33 * i + random.nextInt(33);
    }

    @Override
    byte[] key(long number) {
      return ascii(Text.time(number));
    }
  },
  /** Eight bytes, big-endian, ascending, with outliers. */
  BINARY_OUTLIERS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return outlier(i, 0.0001, random);
    }

    @Override
    byte[] key(long number) {
      return ByteBuffer.allocate(8).putLong(number).array();
    }
  },
  /** Numbers without leading zeros, of the same length but for carries. */
  PLAIN_NUMBERS {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return i + 1_000_000_000;
    }

    @Override
    byte[] key(long number) {
      return ascii("id:" + number);
    }
  },
  /** Nine of ten keys ascend under one prefix; the others are uuids under another. */
  TWO_PREFIXES {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return random.nextInt(10) > 0 ? i : mix(i) | Long.MIN_VALUE;
    }

    @Override
    byte[] key(long number) {
      return ascii(
          number >= 0
              ? Text.number(new StringBuilder("log:"), number, 12, 10).toString()
              : "session:" + new String(UUID.key(number << 1), StandardCharsets.US_ASCII));
    }
  },
  /** A table in ascending order and an index on it, on words. */
  TABLE_AND_INDEX {
    @Override
    long number(long i, long n, SplittableRandom random) {
      return (i & 1) == 0 ? i : words(random) | Long.MIN_VALUE;
    }

    @Override
    byte[] key(long number) {
      return ascii(
          number >= 0
              ? Text.number(new StringBuilder("t"), number, 16, 16).toString()
              : "u/" + Text.words(number & Long.MAX_VALUE));
    }
  };

  /** The number of the key that the write {@code i} of {@code n} puts. */
  long number(long i, long n, SplittableRandom random) {
    return i;
  }

  /** The key of a number: the papers' shape, 23 bytes, unless said otherwise. */
  byte[] key(long number) {
    byte[] key = {
      'u', 's', 'e', 'r', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0',
      '0', '0', '0', '0'
    };
    long rest = number;
    for (int i = 22; rest > 0; i--, rest /= 10) {
      key[i] = (byte) ('0' + rest % 10);
    }
    return key;
  }

  static long mix(long i) {
    long z = i + 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  private static long stream(long i, int streams) {
    return (mix(i % streams) >>> 1 & -(1L << 34)) + i / streams;
  }

  /**
   * An outlier is a random key among those written so far; in the gaps, so that it is a new one.
   */
  private static long outlier(long i, double share, SplittableRandom random) {
    return random.nextDouble() < share
        ? (random.nextLong(i + 1) << 8) + 1 + random.nextInt(128)
        : i << 8;
  }

  private static long late(long i, double mean, SplittableRandom random) {
    double delay = -mean * Math.log(1 - random.nextDouble());
    return (long) Math.max(0, (i - delay) * 256) + (i & 255);
  }

  private static long skewed(SplittableRandom random, int bound) {
    return mix((long) Math.pow(bound, random.nextDouble())) & Integer.highestOneBit(bound) * 2 - 1;
  }

  private static long words(SplittableRandom random) {
    long number = 0;
    int syllables = 1 + random.nextInt(4);
    for (int k = 0; k < 4; k++) {
      number =
          number << 7 | (k < syllables ? 1 + (long) (126 * Math.pow(random.nextDouble(), 2)) : 0);
    }
    return number << 24 | random.nextInt(1 << 24);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
