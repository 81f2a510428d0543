package io.sifr.bench.experiment;

import io.sifr.bench.workload.Shape;
import java.util.Locale;
import java.util.Optional;

/** The size of experiments. */
public enum Scale {
  /** Seconds each: shows that everything runs here, and what the reports look like. */
  TINY(40_000, 400, 200),
  /** Minutes for all of them: the shape of the curves, not their height. */
  SMALL(400_000, 4_000, 800),
  /** Three million entries, 370 MB: times mean something, and all experiments take 105 minutes. */
  MODERATE(3_000_000, 40_000, 2_000),
  /**
   * Ten million entries, 1.2 GB: larger than every buffer, smaller than the memory. About 4.5
   * hours.
   */
  MEDIUM(10_000_000, 100_000, 4_000),
  /** A hundred million entries, 12 GB: days. */
  LARGE(100_000_000, 100_000, 4_000);

  private static final long MIB = 1 << 20;

  private final int entries;
  private final int uncachedReads;
  private final int uncachedReadsOfMany;

  Scale(int entries, int uncachedReads, int uncachedReadsOfMany) {
    this.entries = entries;
    this.uncachedReads = uncachedReads;
    this.uncachedReadsOfMany = uncachedReadsOfMany;
  }

  /** What is to be said of times at this scale, if they mean little; else empty. */
  public Optional<String> warning() {
    return compareTo(MODERATE) >= 0
        ? Optional.empty()
        : Optional.of(
            "Scale "
                + name().toLowerCase(Locale.ROOT)
                + ": most runs take seconds, in which a JVM interprets and compiles, so times and"
                + " rates measure its compiler, too, and flatter stores of native code. For times"
                + " that mean something: --scale moderate. Counts and bytes hold.");
  }

  /** Entries of the papers' shape. */
  int entries() {
    return entries;
  }

  /**
   * Number of reads that may wait for the disk, in a new process: enough that the seconds in which
   * its JVM compiles do not matter much.
   */
  int uncachedReads() {
    return uncachedReads;
  }

  /** The same for experiments with many ways to read, in a JVM that has compiled them. */
  int uncachedReadsOfMany() {
    return uncachedReadsOfMany;
  }

  /** Numbers of entries of a kilobyte, ascending: stores up to several times the memory. */
  int[] largeStores() {
    return switch (this) {
      case TINY -> new int[] {4_000, 40_000};
      case SMALL -> new int[] {100_000, 1_000_000};
      case MODERATE -> new int[] {1_000_000, 5_000_000};
      case MEDIUM -> new int[] {1_000_000, 14_000_000};
      case LARGE -> new int[] {1_000_000, 14_000_000, 26_000_000, 60_000_000};
    };
  }

  /** Number of databases of an experiment with small ones. */
  int databases() {
    return switch (this) {
      case TINY -> 20;
      case SMALL -> 1_000;
      case MODERATE, MEDIUM, LARGE -> 10_000;
    };
  }

  /**
   * Steps of an experiment with a queue: several flushes, except at the smallest scale, because a
   * store that passes all deleted entries takes longer with the square of their number.
   */
  int queueSteps() {
    return switch (this) {
      case TINY -> 3_000;
      case SMALL -> 100_000;
      case MODERATE -> 200_000;
      case MEDIUM, LARGE -> 1_000_000;
    };
  }

  /** Entries of ascending streams: at the moderate scale so many that no stage is too small. */
  int streamEntries() {
    return this == MODERATE ? 5_000_000 : entries;
  }

  /** Whether the data is no larger than buffers, log and a few compactions together. */
  boolean isLittleData() {
    return compareTo(MODERATE) < 0;
  }

  /**
   * The shape of entries with limited memory: at lower scales entries of a kilobyte, because the
   * process itself takes more memory than a few entries of the papers' shape.
   */
  Shape uncachedShape() {
    return compareTo(MEDIUM) < 0 ? Shape.ONE_K : Shape.PAPER;
  }

  /** Entries of that shape; at the moderate scale about the bytes of the next one. */
  int uncachedEntries() {
    return this == MODERATE ? entries / 3 : entries;
  }

  /** Bytes of data with limited memory. */
  long uncachedDataBytes() {
    return (long) (uncachedEntries() * uncachedShape().averageEntryBytes());
  }

  /** The memory limits, smallest first: a fifth and half of the data, or a bit more. */
  long[] provisions() {
    long data = uncachedDataBytes();
    return new long[] {Math.max(256 * MIB, data / 5), Math.max(384 * MIB, data / 2)};
  }
}
