package io.sifr.model;

import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.KeyPrefix;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.TestOperators;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Draws what random operations are made of: keys, values, ranges, options. */
final class Draws {
  static final List<MergeOperator> OPERATORS =
      List.of(TestOperators.CHAIN, TestOperators.CHAIN_ONE_BY_ONE, MergeOperators.MAXIMUM);

  /** Longest time for which values are there. */
  static final int MOST_MILLIS = 5000;

  private static final List<SearchScheme> SCHEMES = List.of(SearchScheme.values());

  private final Random random;
  private final RandomKeys keys;

  /** One in so many range deletes leaves little of a database. */
  private final int wideOneIn;

  /** Whether some writes are not logged. */
  private final boolean hasUnlogged;

  Draws(Random random) {
    this(random, true);
  }

  /**
   * @param hasUnlogged whether some writes are not logged
   */
  Draws(Random random, boolean hasUnlogged) {
    this.random = random;
    this.hasUnlogged = hasUnlogged;
    this.keys = new RandomKeys(random, 20 + random.nextInt(600));
    this.wideOneIn = random.nextInt(3) == 0 ? 60 : 2;
  }

  /** A number from 0 on. */
  int below(int end) {
    return random.nextInt(end);
  }

  byte[] key() {
    return keys.any(random);
  }

  /** Numbers that users cannot choose, for such a store. */
  Tuning tuning() {
    return Tuning.DEFAULT
        .withSstsBeforeGrowth(1 + random.nextInt(20))
        .withCleaningThresholdBytes(4096L << random.nextInt(8))
        .withImmutableMemtables(1 + random.nextInt(4))
        .withWriteValuesOnceFrom(1 << random.nextInt(12));
  }

  /** So small that a few hundred steps pass through flush, merge, move and recovery. */
  StoreOptions storeOptions(ReadMode readMode, boolean hasFilters) {
    return StoreOptions.builder()
        .writeBufferBytes(4096L << random.nextInt(5))
        .totalWriteBufferBytes((16L << 10) << random.nextInt(5))
        .splitUnitBytes(4096L << random.nextInt(4))
        .maxSstBytes(4096L << random.nextInt(8))
        .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3), random.nextBoolean()))
        .maxSpaceAmplification(random.nextInt(3) == 0 ? 0 : 1.1 + random.nextDouble())
        .logAccess(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN)
        .logSegmentBytes(4096 << random.nextInt(6))
        .maxLogBytes(1 << 18)
        .keptLogBytes(random.nextInt(3) == 0 ? 0 : 1L << (8 + random.nextInt(12)))
        .compactionThreads(1 + random.nextInt(3))
        .readMode(readMode)
        .blockCacheBytes(Math.max(0, random.nextInt(24) - 4) * 8192L)
        .memoryBudgetBytes((1L << 20) << random.nextInt(6))
        .maxOpenSsts(random.nextInt(4) == 0 ? 16 + random.nextInt(100) : 8192)
        .searchScheme(scheme())
        .searchThreads(1 + random.nextInt(8))
        .filterBitsPerKey(hasFilters ? 1 + random.nextInt(12) : 0)
        .build();
  }

  DatabaseOptions databaseOptions() {
    DatabaseOptions.Builder drawn =
        DatabaseOptions.builder()
            .compression(compression())
            .separateValuesFrom(separateValuesFrom())
            .filterPrefix(filterPrefix());
    if (random.nextInt(4) == 0) {
      return drawn.expireAfter(time()).build();
    }
    return drawn.mergeOperator(OPERATORS.get(random.nextInt(OPERATORS.size()))).build();
  }

  /** Most values are longer, none is, or all those of some length. */
  int separateValuesFrom() {
    return random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(10);
  }

  /** Keys are short, and of few different bytes. */
  @Nullable KeyPrefix filterPrefix() {
    return switch (random.nextInt(4)) {
      case 0 -> KeyPrefix.upTo((byte) random.nextInt());
      case 1 -> null;
      default -> KeyPrefix.ofLength(1 + random.nextInt(4));
    };
  }

  private @Nullable Compression compression() {
    List<Compression> all = List.of(Compression.values());
    int choice = random.nextInt(3 * all.size());
    return choice < all.size() ? all.get(choice) : null;
  }

  Duration time() {
    return Duration.ofMillis(1 + random.nextInt(MOST_MILLIS));
  }

  Shape shape() {
    return random.nextInt(4) == 0 ? Shape.WHOLE : Shape.MOVES;
  }

  private SearchScheme scheme() {
    return SCHEMES.get(random.nextInt(SCHEMES.size()));
  }

  ReadOptions.Builder readOptions() {
    return ReadOptions.builder().searchScheme(scheme());
  }

  Durability durability() {
    int choice = random.nextInt(50);
    return choice == 0
        ? Durability.SYNC
        : choice < 5 && hasUnlogged ? Durability.NONE : Durability.BUFFERED;
  }

  boolean hasUnlogged() {
    return hasUnlogged;
  }

  byte[] value() {
    int length =
        switch (random.nextInt(20)) {
          case 0 -> 0;
          case 1 -> random.nextInt(20_000);
          default -> random.nextInt(200);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  List<byte[]> keys() {
    List<byte[]> some = new ArrayList<>();
    for (int i = random.nextInt(40); i > 0; i--) {
      boolean again = !some.isEmpty() && random.nextInt(8) == 0;
      some.add(again ? some.get(random.nextInt(some.size())) : key());
    }
    return some;
  }

  KeyRange range() {
    byte[] a = key();
    byte[] b = key();
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.atLeast(a);
      case 1 -> KeyRange.lessThan(a);
      case 2 -> KeyRange.between(a, b);
      case 3 -> KeyRange.prefix(Arrays.copyOf(a, Math.min(a.length, random.nextInt(22))));
      default -> KeyRange.all();
    };
  }

  KeyRange rangeToDelete() {
    return random.nextInt(wideOneIn) == 0 ? wideRange() : narrowRange();
  }

  /** More than half of the keys, and sometimes all of them. */
  private KeyRange wideRange() {
    byte[] low = keys.ranked(random.nextDouble() / 4);
    byte[] high = keys.ranked(1 - random.nextDouble() / 4);
    return switch (random.nextInt(8)) {
      case 0 -> KeyRange.all();
      case 1 -> KeyRange.atLeast(low);
      case 2 -> KeyRange.lessThan(high);
      default -> KeyRange.between(low, high);
    };
  }

  /** Some neighbours, one key, or none. */
  KeyRange narrowRange() {
    double rank = random.nextDouble();
    byte[] from = keys.ranked(rank);
    return switch (random.nextInt(6)) {
      case 0 -> KeyRange.prefix(from);
      case 1 -> KeyRange.between(from, key());
      case 2 -> KeyRange.between(from, Arrays.copyOf(from, Math.min(from.length + 1, 1 << 16)));
      default -> KeyRange.between(from, keys.ranked(Math.min(1, rank + random.nextDouble() / 20)));
    };
  }
}
