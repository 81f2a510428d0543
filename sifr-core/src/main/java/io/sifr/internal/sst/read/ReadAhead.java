package io.sifr.internal.sst.read;

import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstFormat;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an iterator keeps to itself, above all its read-ahead: successive blocks from one read, and
 * the blocks after them that are being read in the background. Kept outside the cache, so that a
 * long scan does not evict what others use. For one thread.
 */
final class ReadAhead {
  /**
   * A read of this many pages takes about twice as long as one of half as many: larger reads gain
   * little.
   */
  private static final int MAX_PAGES = 64;

  /**
   * Size of an iterator's first read; each further read is twice as large. Reading four pages takes
   * hardly longer than reading one, and an iterator that returns a hundred entries also needs the
   * second block of a large tree.
   */
  private static final int FIRST_PAGES = 4;

  /** After so many reads, of 60 pages, a scan is a long one. */
  private static final int LONG_READS = 4;

  /** From this size on, a read is worth another thread. */
  private static final int PAGES_WORTH_A_THREAD = 16;

  private final ReadAheadPolicy policy;
  private final ReadHelper helper;
  private final ReadAheadMemory memory;

  private final Parts parts;

  private int lastBlock = -2;

  /** Number of reads ahead since the iterator last changed its direction or position. */
  private int reads;

  private boolean backwards;
  private boolean wholly;

  private @Nullable FilePages held;
  private @Nullable BackgroundRead inBackground;

  /** Copies of blocks in a mapping; allocated by {@link MappedBlocks}. */
  @Nullable ByteBuffer copy;

  /**
   * @param policy how much to read at once
   * @param helper reads ahead for a long scan
   * @param memory what is read is charged to
   * @param parts the parts of the index
   */
  ReadAhead(ReadAheadPolicy policy, ReadHelper helper, ReadAheadMemory memory, Parts parts) {
    this.policy = policy;
    this.helper = helper;
    this.memory = memory;
    this.parts = parts;
  }

  /**
   * Called before the iterator enters a block.
   *
   * @param smallerKeys the direction in which it will leave the block
   * @param fromOneEnd whether it will read all of the block
   */
  void headFor(boolean smallerKeys, boolean fromOneEnd) {
    backwards = smallerKeys;
    wholly = fromOneEnd;
  }

  /** Called for each block the iterator enters, with its number in the SST. */
  void enters(int block) {
    if (Math.abs(block - lastBlock) > 1) {
      reads = 0;
    }
    lastBlock = block;
  }

  /** Whether the iterator moves towards smaller keys. */
  boolean isBackwards() {
    return backwards;
  }

  /** Whether it is about to read all of the block. */
  boolean readsWholly() {
    return wholly;
  }

  /** The parts of the index. */
  Parts parts() {
    return parts;
  }

  /** What is read is charged to it. */
  ReadAheadMemory memory() {
    return memory;
  }

  /** Largest number of pages to read at once; 0 for only one block. */
  int pages() {
    int wanted = isLong() ? MAX_PAGES : FIRST_PAGES << reads;
    return (int) Math.min(wanted, memory.most() / SstFormat.PAGE_BYTES);
  }

  private boolean isLong() {
    return policy != ReadAheadPolicy.GROWING || reads >= LONG_READS;
  }

  /**
   * Whether the read of a block follows that of the blocks held, and may well be the last. Of a
   * longer scan the system may read ahead, too.
   */
  boolean mayEndWith(IndexPart part, int block) {
    FilePages pages = held;
    return pages != null
        && pages.endBefore(part, block)
        && pages.memory().bytes() >= RandomReadFile.BYTES_BEFORE_NEXT
        && !isLong();
  }

  /** Whether the blocks held are those of a short scan, as most scans of users are. */
  boolean isShort() {
    FilePages pages = held;
    return usesCache()
        && pages != null
        && pages.memory().bytes() <= FIRST_PAGES * SstFormat.PAGE_BYTES;
  }

  /** Whether blocks are looked up in the cache and inserted into it. */
  boolean usesCache() {
    return policy != ReadAheadPolicy.FULL;
  }

  /**
   * Whether the scan is so long already that it is likely to need the next blocks too, and other
   * threads may help it.
   */
  boolean wantsHelp() {
    return helper != ReadHelper.NONE && isLong() && pages() >= PAGES_WORTH_A_THREAD;
  }

  /** Whether it needs every block checked that it reads, whoever has checked it before. */
  boolean verifies() {
    return policy == ReadAheadPolicy.FULL;
  }

  /** What was read ahead, if the block is part of it. */
  @Nullable FilePages holding(IndexPart part, int block) {
    FilePages pages = held;
    return pages != null && pages.hold(part, block) ? pages : null;
  }

  /** Starts a read in the background, if a thread is free. */
  void begin(BackgroundRead next) {
    cancelBackgroundRead();
    inBackground = next; // first, so that it is cancelled in any case
    if (!helper.tryRun(next)) {
      inBackground = null;
    }
  }

  /**
   * Takes over the background read when it is likely to include the block; any other blocks are
   * dropped.
   */
  @Nullable FilePages keepBackgroundRead(IndexPart part, int block) {
    BackgroundRead next = inBackground;
    if (next == null || !next.mayHold(part, block)) {
      cancelBackgroundRead();
      return null;
    }
    inBackground = null;
    keep(next.await());
    return holding(part, block);
  }

  private void cancelBackgroundRead() {
    BackgroundRead next = inBackground;
    inBackground = null;
    if (next != null) {
      next.cancel();
    }
  }

  /** Keeps blocks that were read, in memory that the caller has retained for this object. */
  void keep(FilePages read) {
    releaseMemory();
    reads++;
    held = read;
  }

  /** Releases everything. When it returns, no other thread reads for the iterator any more. */
  void release() {
    releaseMemory();
    cancelBackgroundRead();
  }

  private void releaseMemory() {
    FilePages pages = held;
    held = null;
    if (pages != null) {
      pages.memory().release();
    }
  }
}
