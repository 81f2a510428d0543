package io.sifr.internal.sst.read;

import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.util.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A read of successive blocks by another thread, ahead of the iterator that will need them.
 * Whichever thread comes first does it: an iterator that needs the blocks before a helper has begun
 * reads them itself. The iterator calls exactly one of {@link #await} and {@link #cancel}.
 */
final class BackgroundRead implements Runnable {
  private final int part;
  private final int first;
  private final int last;
  private final Supplier<FilePages> read;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<FilePages> result = new CompletableFuture<>();

  /**
   * Reads blocks of a part of the index that is in memory.
   *
   * @param oneEnd the first or the last block
   * @param otherEnd the other one of them
   * @param read reads them, into memory that is retained for the caller
   */
  BackgroundRead(IndexPart part, int oneEnd, int otherEnd, Supplier<FilePages> read) {
    this(part.number(), Math.min(oneEnd, otherEnd), Math.max(oneEnd, otherEnd), read);
  }

  /**
   * Reads blocks at an end of a part of the index that is not in memory, and first of all the part.
   *
   * @param part number of the part
   */
  BackgroundRead(int part, Supplier<FilePages> read) {
    this(part, 0, Integer.MAX_VALUE, read);
  }

  private BackgroundRead(int part, int first, int last, Supplier<FilePages> read) {
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
  FilePages await() {
    run();
    try {
      return result.join();
    } catch (CompletionException e) {
      throw Failures.unchecked(e.getCause());
    }
  }

  /**
   * Cancels the read. When it returns, no thread is reading the blocks any more, so the file may be
   * closed.
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
