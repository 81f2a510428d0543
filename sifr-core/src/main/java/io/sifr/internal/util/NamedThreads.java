package io.sifr.internal.util;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates threads with names, for thread dumps. */
public final class NamedThreads {
  private NamedThreads() {}

  /**
   * Daemon threads {@code name-1}, {@code name-2}, …: a store that is never closed does not keep
   * the JVM alive.
   */
  public static ThreadFactory daemon(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
