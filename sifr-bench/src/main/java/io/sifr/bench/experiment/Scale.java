package io.sifr.bench.experiment;

import io.sifr.bench.workload.Shape;

/** How large experiments are. */
public enum Scale {
  /** Seconds each: that everything runs here, and what the reports look like. */
  TINY(40_000, 400, 200),
  /** Minutes for all of them: the shape of the curves, not their height. */
  SMALL(400_000, 4_000, 800),
  /** Ten million entries, 1.2 GB: data outgrows every buffer, not the memory. */
  MEDIUM(10_000_000, 100_000, 4_000),
  /** A hundred million entries, 12 GB: hours. */
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

  /** Entries of the papers' shape. */
  int entries() {
    return entries;
  }

  /**
   * Reads that may have to wait for the disk, of a process that has just begun: so many that the
   * seconds in which its JVM compiles do not count for much.
   */
  int uncachedReads() {
    return uncachedReads;
  }

  /** The same where one experiment has many ways to read, in a JVM that has compiled them. */
  int uncachedReadsOfMany() {
    return uncachedReadsOfMany;
  }

  /** Whether the data is no more than what buffers, log and a few merges take besides. */
  boolean isLittleData() {
    return compareTo(MEDIUM) < 0;
  }

  /**
   * The shape of entries where memory is limited: of little data entries of a kilobyte, for the
   * process itself takes more memory than a few entries of the papers' shape.
   */
  Shape uncachedShape() {
    return isLittleData() ? Shape.ONE_K : Shape.PAPER;
  }

  /** Bytes of data where memory is limited. */
  long uncachedDataBytes() {
    return (long) (entries * uncachedShape().averageEntryBytes());
  }

  /** The memory provisions tried, smallest first: a fifth and half of the data, or a bit more. */
  long[] provisions() {
    long data = uncachedDataBytes();
    return new long[] {Math.max(256 * MIB, data / 5), Math.max(384 * MIB, data / 2)};
  }
}
