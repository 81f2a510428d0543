package io.sifr.internal.sst.inspect;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.block.SstFile;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.util.Scrub;

/**
 * Checks an SST of an open store by its checksums, a small step at a time, and reports damage. It
 * reads the file, and nothing of it that is in memory. Between two steps it holds nothing: neither
 * the file nor the SST, which may be deleted meanwhile.
 */
public final class SstScrub implements Scrub {
  /** At most so many bytes of blocks are read at once, unless one is larger. */
  private static final int READ_BYTES = 256 << 10;

  /** After so many bytes of blocks a step ends. */
  private static final int STEP_BYTES = 1 << 20;

  private final Sst sst;
  private final SstAccess access;
  private final SstFile.Health health;
  private final boolean withBlocks;

  /** True if footer, properties, index and filter were checked. */
  private boolean blocksAreNext;

  // The next block.
  private int part;
  private int block;

  private int failures;
  private boolean isDone;

  /**
   * Nothing is read yet.
   *
   * @param withBlocks whether data blocks are checked, too
   */
  public SstScrub(Sst sst, boolean withBlocks) {
    this.sst = sst;
    this.access = sst.access();
    this.health = sst.health();
    this.withBlocks = withBlocks;
  }

  @Override
  public boolean isDone() {
    return isDone;
  }

  @Override
  public int failures() {
    return failures;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The first step checks footer, properties, index and filter, each further one about a
   * megabyte of data blocks. What cannot be read is reported, too.
   */
  @Override
  public long step(Runnable goesOn) {
    if (!sst.tryPin()) {
      isDone = true;
      return 0;
    }
    try (ScrubbedFile file = new ScrubbedFile(access, sst.meta(), goesOn)) {
      step(file);
      return file.bytes();
    } catch (StoreIoException e) {
      failures++;
      health.failed(e);
      throw e;
    } finally {
      sst.unpin();
    }
  }

  private void step(ScrubbedFile file) {
    SstTail tail;
    try {
      tail = file.checkTail();
    } catch (CorruptionException | UnsupportedFormatException e) {
      ended();
      health.failed(sst.naming(e));
      return;
    }
    health.opened();
    try {
      if (blocksAreNext) {
        checkBlocks(file, tail);
      } else {
        checkIndexAndFilter(file, tail);
      }
    } catch (CorruptionException | UnsupportedFormatException e) {
      ended();
      health.damaged(e);
    }
  }

  /** Readers check again what they have checked before, and throw where it is damaged. */
  private void ended() {
    isDone = true;
    SstReader open = sst.readerIfOpen();
    if (open != null) {
      open.distrust();
    }
  }

  private void checkIndexAndFilter(ScrubbedFile file, SstTail tail) {
    file.checkIndex(tail);
    try {
      file.checkFilter(tail);
    } catch (CorruptionException e) {
      health.weakened(e);
    }
    blocksAreNext = true;
    isDone = !withBlocks;
  }

  private void checkBlocks(ScrubbedFile file, SstTail tail) {
    long stepEnd = file.bytes() + STEP_BYTES;
    while (part < tail.top().parts()) {
      IndexPart current = file.part(tail, part);
      while (block < current.blocks()) {
        if (file.bytes() >= stepEnd) {
          return;
        }
        int end = block + 1;
        while (end < current.blocks()
            && current.end(end) - current.pageStart(block) <= READ_BYTES) {
          end++;
        }
        file.checkBlocks(tail, current, block, end);
        block = end;
      }
      part++;
      block = 0;
    }
    isDone = true;
    health.whole();
  }
}
