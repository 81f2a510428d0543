package io.sifr.internal.util;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory or objects with which calls work, for one call after the other. It is lent for a call and
 * not kept per thread, since a process may have a million (virtual) threads that read. At most as
 * many stay as there are processors. Thread-safe.
 */
public final class Workspaces<T> {
  private final Supplier<T> creator;
  private final AtomicReferenceArray<@Nullable T> idle =
      new AtomicReferenceArray<>(Runtime.getRuntime().availableProcessors());

  /**
   * @param creator makes one more, when all that are kept are in use
   */
  public Workspaces(Supplier<T> creator) {
    this.creator = creator;
  }

  /** One that nobody else uses until it is returned. */
  public T take() {
    int first = first();
    for (int i = 0; i < idle.length(); i++) {
      T taken = idle.getAndSet((first + i) % idle.length(), null);
      if (taken != null) {
        return taken;
      }
    }
    return creator.get();
  }

  /** Gives one back. */
  public void give(T workspace) {
    int first = first();
    for (int i = 0; i < idle.length(); i++) {
      if (idle.compareAndSet((first + i) % idle.length(), null, workspace)) {
        return;
      }
    }
  }

  private int first() {
    return (int) Math.floorMod(Thread.currentThread().getId(), (long) idle.length());
  }
}
