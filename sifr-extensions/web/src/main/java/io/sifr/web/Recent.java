package io.sifr.web;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The last answer to a question that takes some time: for a while it is the answer to all. */
final class Recent {
  private final long freshNanos;

  // Guarded by this.
  private byte @Nullable [] last;
  private long lastView;
  private long lastNanos;

  Recent(long freshNanos) {
    this.freshNanos = freshNanos;
  }

  /**
   * The last answer if it is recent and of the same view, otherwise a new one. Who asks meanwhile
   * waits for it.
   */
  synchronized byte[] get(long view, Supplier<byte[]> answer) {
    byte[] known = last;
    if (known != null && view == lastView && System.nanoTime() - lastNanos < freshNanos) {
      return known;
    }
    byte[] found = answer.get();
    last = found;
    lastView = view;
    lastNanos = System.nanoTime();
    return found;
  }
}
