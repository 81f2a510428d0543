package io.sifr.internal.compaction.cut;

import io.sifr.config.StoreOptions;

/**
 * The sizes of the SSTs that are written now. They grow with the store, so that it has about as
 * many files at a terabyte as at 20 GB.
 *
 * <p>A store that has less data than some thousand SSTs of a split unit is written in SSTs of a
 * split unit. Beyond that the target grows faster than the store, with the 1.5th power of its size,
 * up to {@link StoreOptions#maxSstBytes}: trees that were written when the store was smaller still
 * have the many SSTs of that time. In proportion to the store instead, a load of a terabyte has up
 * to 27,000 SSTs on the way, instead of 20,000. It is the size of the store that counts, not that
 * of the tree or its stage, because what a flush writes of an ascending load is moved from stage to
 * stage, and because many small trees are many files too.
 *
 * <p>What does not depend on the target: where a flush is cut, and which SSTs count as small or
 * close. These stay as they are with SSTs of a split unit.
 *
 * @param splitUnitBytes size of the SSTs of a small store, at least 1
 * @param targetBytes size aimed at now, at least a split unit
 * @param writeBufferBytes capacity of the write buffers that flushes write
 * @param spareSsts SSTs that a compaction may leave in addition to those its data fill, see {@link
 *     #few}
 */
public record SstSizes(
    long splitUnitBytes, long targetBytes, long writeBufferBytes, long spareSsts) {
  private static final int SSTS_PER_WRITE_BUFFER = 2;
  private static final int SMALL_PER_SST = 6;
  private static final int SMALL_PER_WRITE_BUFFER = 8;
  private static final int CLOSE_PER_SPLIT_UNIT = 32;
  private static final int VALUE_FILE_SSTS = 32;

  /** In a large store, SSTs that compactions leave per target size of data, without spare ones. */
  private static final double SSTS_PER_TARGET = 1.25;

  /** The most SSTs of a growing store, per SST it has before they grow. */
  private static final double MOST_SSTS = 2.2;

  /** Trees that spare SSTs are for: three or four of each stage. */
  private static final int TREES = 32;

  public SstSizes {
    if (splitUnitBytes < 1) {
      throw new IllegalArgumentException(
          "splitUnitBytes is " + splitUnitBytes + "; allowed: 1 and above");
    }
    if (targetBytes < splitUnitBytes) {
      throw new IllegalArgumentException(
          "targetBytes is " + targetBytes + "; allowed: " + splitUnitBytes + " and above");
    }
  }

  /**
   * The sizes for a store.
   *
   * @param sstsBeforeGrowth SSTs of a split unit that a store has before new ones are larger
   * @param storeBytes bytes of all its SSTs
   */
  public static SstSizes of(StoreOptions options, int sstsBeforeGrowth, long storeBytes) {
    long unit = options.splitUnitBytes();
    double growth = Math.max(1, storeBytes / ((double) unit * sstsBeforeGrowth));
    long grown = (long) (unit * growth * Math.sqrt(growth));
    long target = Math.max(unit, Math.min(options.maxSstBytes(), grown));
    double most = MOST_SSTS * sstsBeforeGrowth;
    double unused = most - SSTS_PER_TARGET * storeBytes / target;
    double spare = Math.max(most / TREES, unused) / TREES;
    return new SstSizes(unit, target, options.writeBufferBytes(), (long) spare);
  }

  /** The sizes for a part of a compaction: of the spare SSTs it gets its share. */
  public SstSizes forPart(long partBytes, long allBytes) {
    double share = (double) partBytes / Math.max(1, allBytes);
    return new SstSizes(
        splitUnitBytes, targetBytes, writeBufferBytes, (long) (spareSsts * Math.min(1, share)));
  }

  /**
   * How many SSTs a compaction may leave in a large store before neighbours are joined. The spare
   * ones let small trees keep the small SSTs of many ascending streams, which are then rewritten
   * once, when they are many, and not in each stage.
   */
  long few(long bytes) {
    return (long) (SSTS_PER_TARGET * bytes / targetBytes) + spareSsts;
  }

  /** How many SSTs some data make, see {@link #pieces(long, long)}. */
  long pieces(long bytes) {
    return pieces(bytes, targetBytes);
  }

  /**
   * How many SSTs of about a target size some data make, at least 1.
   *
   * <p>SSTs may exceed the target by an eighth and are of equal size. Filling each completely
   * instead would leave a last SST of any size after every compaction, and an SST that is rewritten
   * with one late key would be split into a full and a tiny one each time.
   */
  static long pieces(long bytes, long targetBytes) {
    long largest = targetBytes + targetBytes / 8;
    return Math.max(1, (bytes + largest - 1) / largest);
  }

  /**
   * About how many bytes the file of an SST takes at most for which so many are expected: it may
   * exceed them by an eighth, and is padded to whole pages, with index and filter.
   */
  public static long fileBytes(long expectedBytes) {
    return expectedBytes + expectedBytes / 8 + (12 << 10);
  }

  /** Size that value files grow to. Their values are copied together once few of them are left. */
  public long valueFileBytes() {
    return VALUE_FILE_SSTS * targetBytes;
  }

  /** Whether SSTs are larger than a split unit. */
  boolean areGrown() {
    return targetBytes > splitUnitBytes;
  }

  /**
   * Size aimed at for an SST of a flush: at most half a write buffer. Writes that are a little out
   * of order make the last SST of a flush overlap the first one of the next; if a flush were a
   * single SST, each would overlap the next, and all would be rewritten.
   */
  long flushBytes() {
    return Math.max(
        splitUnitBytes, Math.min(targetBytes, writeBufferBytes / SSTS_PER_WRITE_BUFFER));
  }

  /**
   * The sizes in bytes of keys and values instead of bytes of SSTs, for a flush whose blocks are
   * compressed. A split unit is at most half a write buffer then, see {@link #flushBytes}.
   *
   * @param storedShare bytes of SSTs per byte of keys and values, 0 to 1
   */
  public SstSizes inRawBytes(double storedShare) {
    long halfABuffer = writeBufferBytes / SSTS_PER_WRITE_BUFFER;
    long rawUnit =
        Math.max(splitUnitBytes, Math.min((long) (splitUnitBytes / storedShare), halfABuffer));
    long rawTarget = Math.max(rawUnit, (long) (targetBytes / storedShare));
    return new SstSizes(rawUnit, rawTarget, writeBufferBytes, spareSsts);
  }

  /** A split unit or, if that is less, about what a flush of ascending keys writes. */
  long regularBytes() {
    return Math.max(1, Math.min(splitUnitBytes, writeBufferBytes / SSTS_PER_WRITE_BUFFER));
  }

  /** Whether an SST, or a run of them, is so small that it is better compacted with others. */
  boolean isSmall(long bytes) {
    return bytes
        < Math.min(splitUnitBytes / SMALL_PER_SST, writeBufferBytes / SMALL_PER_WRITE_BUFFER);
  }

  /** Data for which an SST of its own is worth while, although it is less than the target. */
  long worthBytes() {
    return Math.max(1, targetBytes / SMALL_PER_SST);
  }

  /** Whether two keys are so close that a flush does not cut between them. */
  boolean isClose(double gapBytes) {
    return gapBytes < (double) splitUnitBytes / CLOSE_PER_SPLIT_UNIT;
  }
}
