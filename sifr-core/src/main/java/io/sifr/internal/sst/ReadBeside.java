package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.util.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A read of successive blocks that another thread does while the walk that is going to need them
 * goes on. Whoever comes first does it: a walk that comes there before any helper does not wait for
 * one. The walk calls exactly one of {@link #await} and {@link #giveUp}.
 */
final class ReadBeside implements Runnable {
  private final int from;
  private final int to;
  private final Supplier<MemoryBlock> read;
  private final AtomicBoolean begun = new AtomicBoolean();
  private final CompletableFuture<MemoryBlock> result = new CompletableFuture<>();

  /**
   * @param from the first block
   * @param to behind the last block
   * @param read reads them, into memory in which the caller is counted in
   */
  ReadBeside(int from, int to, Supplier<MemoryBlock> read) {
    this.from = from;
    this.to = to;
    this.read = read;
  }

  /** The first block. */
  int from() {
    return from;
  }

  /** Behind the last block. */
  int to() {
    return to;
  }

  @Override
  public void run() {
    if (begun.compareAndSet(false, true)) {
      try {
        result.complete(read.get());
      } catch (Throwable e) {
        result.completeExceptionally(e); // for the walk
      }
    }
  }

  /** What was read; the caller is counted in. Throws what the read threw. Not interruptible. */
  MemoryBlock await() {
    run();
    try {
      return result.join();
    } catch (CompletionException e) {
      throw Failures.unchecked(e.getCause());
    }
  }

  /**
   * The blocks are not needed. Returns when nobody is reading them any more: behind it the file may
   * be closed.
   */
  void giveUp() {
    if (!begun.compareAndSet(false, true)) {
      var unused =
          result
              .handle(
                  (memory, failure) -> {
                    if (memory != null) {
                      memory.release();
                    }
                    return true; // a read that nobody needs may fail
                  })
              .join();
    }
  }
}
