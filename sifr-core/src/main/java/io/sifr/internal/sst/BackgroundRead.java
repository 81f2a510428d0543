package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
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
  private final int from;
  private final int to;
  private final Supplier<MemoryBlock> read;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<MemoryBlock> result = new CompletableFuture<>();

  /**
   * @param from the first block
   * @param to one more than the last block
   * @param read reads them, into memory that is retained for the caller
   */
  BackgroundRead(int from, int to, Supplier<MemoryBlock> read) {
    this.from = from;
    this.to = to;
    this.read = read;
  }

  /** The first block. */
  int from() {
    return from;
  }

  /** One more than the last block. */
  int to() {
    return to;
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
  MemoryBlock await() {
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
                  (memory, failure) -> {
                    if (memory != null) {
                      memory.release();
                    }
                    return true; // the failure of an unneeded read does not matter
                  })
              .join();
    }
  }
}
