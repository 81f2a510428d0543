package io.sifr.internal.util;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes threads that can be told apart in a thread dump. */
public final class NamedThreads {
  private NamedThreads() {}

  /**
   * Daemon threads {@code name-1}, {@code name-2}, …: a store that was not closed does not keep the
   * JVM alive.
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
