package io.sifr.internal.sst.block;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop.SstIndex;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that an iterator keeps to itself, above all its read-ahead: successive blocks from one
 * read, and the blocks after them that are being read in the background. Kept outside the cache, so
 * that a long scan does not evict what others use. For one thread.
 */
public final class ReadAhead {
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

  private final Policy policy;
  private final Helper helper;
  private final ReadAheadMemory memory;

  private final SstIndex.Parts parts;

  private int lastBlock = -2;

  /** Number of reads ahead since the iterator last changed its direction or position. */
  private int reads;

  private boolean backwards;
  private boolean wholly;

  private @Nullable Pages held;
  private @Nullable InBackground inBackground;

  /** Copies of blocks in a mapping; allocated by {@link MappedBlocks}. */
  @Nullable ByteBuffer copy;

  /**
   * @param policy how much to read at once
   * @param helper reads ahead for a long scan
   * @param memory what is read is charged to
   * @param parts the parts of the index
   */
  public ReadAhead(Policy policy, Helper helper, ReadAheadMemory memory, SstIndex.Parts parts) {
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

  SstIndex.Parts parts() {
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
    return policy != Policy.GROWING || reads >= LONG_READS;
  }

  /**
   * Whether the read of a block follows that of the blocks held, and may well be the last. Of a
   * longer scan the system may read ahead, too.
   */
  boolean mayEndWith(IndexPart part, int block) {
    Pages pages = held;
    return pages != null
        && pages.endBefore(part, block)
        && pages.memory().bytes() >= RandomReadFile.BYTES_BEFORE_NEXT
        && !isLong();
  }

  /** Whether the blocks held are those of a short scan, as most scans of users are. */
  boolean isShort() {
    Pages pages = held;
    return usesCache()
        && pages != null
        && pages.memory().bytes() <= FIRST_PAGES * SstFormat.PAGE_BYTES;
  }

  /** Whether blocks are looked up in the cache and inserted into it. */
  boolean usesCache() {
    return policy != Policy.FULL;
  }

  /**
   * Whether the scan is so long already that it is likely to need the next blocks too, and other
   * threads may help it.
   */
  boolean wantsHelp() {
    return helper != Helper.NONE && isLong() && pages() >= PAGES_WORTH_A_THREAD;
  }

  /** Whether it needs every block checked that it reads, whoever has checked it before. */
  boolean verifies() {
    return policy == Policy.FULL;
  }

  /** What was read ahead, if the block is part of it. */
  @Nullable Pages holding(IndexPart part, int block) {
    Pages pages = held;
    return pages != null && pages.hold(part, block) ? pages : null;
  }

  /** Starts a read in the background, if a thread is free. */
  void begin(InBackground next) {
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
  @Nullable Pages keepBackgroundRead(IndexPart part, int block) {
    InBackground next = inBackground;
    if (next == null || !next.mayHold(part, block)) {
      cancelBackgroundRead();
      return null;
    }
    inBackground = null;
    keep(next.await());
    return holding(part, block);
  }

  private void cancelBackgroundRead() {
    InBackground next = inBackground;
    inBackground = null;
    if (next != null) {
      next.cancel();
    }
  }

  /** Keeps blocks that were read, in memory that the caller has retained for this object. */
  void keep(Pages read) {
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
    Pages pages = held;
    held = null;
    if (pages != null) {
      pages.memory().release();
    }
  }

  /**
   * The pages of successive blocks of a part of the index, as they were read.
   *
   * @param memory the pages; retained for whoever has this
   * @param part the part
   * @param from the first block
   * @param to one more than the last block
   */
  record Pages(MemoryBlock memory, IndexPart part, int from, int to) {
    /** Whether a block is among them. */
    boolean hold(IndexPart of, int block) {
      return of.number() == part.number() && block >= from && block < to;
    }

    /** Whether a block is the one after them. */
    boolean endBefore(IndexPart of, int block) {
      return of.number() == part.number() && block == to;
    }

    /** Where in the memory a block begins. */
    int start(int block) {
      return part.offset(block) - part.pageStart(from);
    }
  }

  /**
   * A read of successive blocks by another thread, ahead of the iterator that will need them.
   * Whichever thread comes first does it: an iterator that needs the blocks before a helper has
   * begun reads them itself. The iterator calls exactly one of {@link #await} and {@link #cancel}.
   */
  static final class InBackground implements Runnable {
    private final int part;
    private final int first;
    private final int last;
    private final Supplier<Pages> read;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<Pages> result = new CompletableFuture<>();

    /**
     * Reads blocks of a part of the index that is in memory.
     *
     * @param oneEnd the first or the last block
     * @param otherEnd the other one of them
     * @param read reads them, into memory that is retained for the caller
     */
    InBackground(IndexPart part, int oneEnd, int otherEnd, Supplier<Pages> read) {
      this(part.number(), Math.min(oneEnd, otherEnd), Math.max(oneEnd, otherEnd), read);
    }

    /**
     * Reads blocks at an end of a part of the index that is not in memory, and first of all the
     * part.
     *
     * @param part number of the part
     */
    InBackground(int part, Supplier<Pages> read) {
      this(part, 0, Integer.MAX_VALUE, read);
    }

    private InBackground(int part, int first, int last, Supplier<Pages> read) {
      this.part = part;
      this.first = first;
      this.last = last;
      this.read = read;
    }

    /** Whether a block may be among those it reads. */
    boolean mayHold(IndexPart of, int block) {
      return of.number() == part && block >= first && block <= last;
    }

    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          result.complete(read.get());
        } catch (Throwable e) {
          result.completeExceptionally(e); // for the iterator
        }
      }
    }

    /** The blocks, retained for the caller. Throws what the read threw. Not interruptible. */
    Pages await() {
      run();
      try {
        return result.join();
      } catch (CompletionException e) {
        throw Failures.unchecked(e.getCause());
      }
    }

    /**
     * Cancels the read. When it returns, no thread is reading the blocks any more, so the file may
     * be closed.
     */
    void cancel() {
      if (!begun.compareAndSet(false, true)) {
        var unused =
            result
                .handle(
                    (pages, failure) -> {
                      if (pages != null) {
                        pages.memory().release();
                      }
                      return true; // the failure of an unneeded read does not matter
                    })
                .join();
      }
    }
  }

  /** The number of pages that an iterator reads at once. */
  public enum Policy {
    /**
     * A few blocks at first, through the cache, then more and more. For scans of users, most of
     * which are short.
     */
    GROWING,
    /**
     * The same for a scan that is long already, for example one that continues from the previous
     * SST.
     */
    GROWN,
    /**
     * As much as is worthwhile from the first block on, bypassing the cache, and verifying every
     * block. For compactions, which read everything once, and write what they read under new
     * checksums.
     */
    FULL
  }

  /** Does reads in the background while an iterator processes the blocks it has. Thread-safe. */
  public interface Helper {
    /** Every iterator does its reads itself. */
    Helper NONE = read -> false;

    /**
     * Hands a read to another thread, if it is worth it and a thread is free.
     *
     * @param read must not throw
     * @return false when no thread will do it
     */
    boolean tryRun(Runnable read);
  }
}
