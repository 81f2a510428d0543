package io.sifr.leveldb;

import io.sifr.config.Compression;
import io.sifr.config.StoreOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.Options;
import org.jspecify.annotations.Nullable;

/** Translates LevelDB's options into those of a store. */
final class Settings {
  /** The options of a program that sets nothing: then Sifr's own defaults are better. */
  private static final Options DEFAULTS = new Options();

  /** The comparator that LevelDB has if there is none. */
  private static final String BYTEWISE = "leveldb.BytewiseComparator";

  /** Keys by which other orders differ: of signed bytes, of lengths, of letters, backwards. */
  private static final List<byte[]> SAMPLES =
      Stream.of(
              "", "\0", "\0\0", "\1", "A", "B", "a", "aB", "ab", "b", "9", "10", "\177", "\200",
              "\377")
          .map(text -> text.getBytes(StandardCharsets.ISO_8859_1))
          .toList();

  private static final int SMALLEST_WRITE_BUFFER = 4 << 10;
  private static final int LARGEST_WRITE_BUFFER = 1 << 30;
  private static final int FEWEST_OPEN_FILES = 16;
  private static final int MOST_OPEN_FILES = 1_000_000;

  private Settings() {}

  static StoreOptions of(Options options) {
    StoreOptions.Builder settings =
        StoreOptions.builder()
            .createIfMissing(options.createIfMissing())
            .compression(compression(options.compressionType()));
    if (options.writeBufferSize() != DEFAULTS.writeBufferSize()) {
      settings.writeBufferBytes(
          between(SMALLEST_WRITE_BUFFER, options.writeBufferSize(), LARGEST_WRITE_BUFFER));
    }
    if (options.maxOpenFiles() != DEFAULTS.maxOpenFiles()) {
      settings.maxOpenSsts(between(FEWEST_OPEN_FILES, options.maxOpenFiles(), MOST_OPEN_FILES));
    }
    if (options.cacheSize() > 0) {
      settings.blockCacheBytes(options.cacheSize());
    }
    return settings.build();
  }

  /** LZ4 is for Sifr what Snappy is for LevelDB: fast, and smaller than nothing. */
  private static Compression compression(CompressionType type) {
    return type == CompressionType.NONE ? Compression.NONE : Compression.LZ4;
  }

  private static int between(int least, int value, int most) {
    return Math.max(least, Math.min(most, value));
  }

  /**
   * Sifr orders keys by their bytes, so that no program can open a store with another order than it
   * was written with. A comparator that only has the name of LevelDB's own orders some of the
   * samples otherwise.
   */
  static void requireBytewise(@Nullable DBComparator comparator) {
    if (comparator != null
        && !(comparator.name().equals(BYTEWISE) && ordersSamplesBytewise(comparator))) {
      throw new IllegalArgumentException(
          "the comparator \""
              + comparator.name()
              + "\" cannot be used: keys are ordered by their unsigned bytes. Encode them so that"
              + " this is the order that is wanted");
    }
  }

  private static boolean ordersSamplesBytewise(DBComparator comparator) {
    for (byte[] one : SAMPLES) {
      for (byte[] other : SAMPLES) {
        int expected = Arrays.compareUnsigned(one, other);
        if (Integer.signum(comparator.compare(one, other)) != Integer.signum(expected)) {
          return false;
        }
      }
    }
    return true;
  }
}
