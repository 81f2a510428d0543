package io.sifr.internal.io;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.sun.management.UnixOperatingSystemMXBean;
import io.sifr.internal.util.Failures;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

/**
 * The file descriptors of a process, of which all code in it has only so many. Files that can be
 * opened again at any time, the SSTs of all stores, take half of them at most: beyond that, one
 * that was not used of late closes its own. When the process has none left all the same, because
 * other code took more than the other half, more of them do, and what failed is tried again.
 *
 * <p>Thread-safe.
 */
final class Descriptors {
  static final Descriptors OF_THIS_PROCESS = new Descriptors(limit(), Descriptors::inUse);

  /** A file that opens itself again when it is read. */
  interface Holder {
    /** Whether it was read since the last call. */
    boolean wasUsed();

    /** Closes the descriptor; may be called at any time, by any thread, and takes no lock. */
    void giveUp();
  }

  /**
   * The number of files that close theirs when there are none left: the caller may want more than
   * one.
   */
  private static final int AT_ONCE = 8;

  /** Other threads may take those at once. */
  private static final int MOST_ATTEMPTS = 10;

  /** With as few left it is taken for certain why a file could not be opened. */
  private static final int LEAST = 4;

  private final long limit;
  private final LongSupplier inUse;

  /** In the order in which they were opened or found used. Guarded by itself. */
  private final Set<Holder> holders = new LinkedHashSet<>();

  /**
   * @param limit how many the process may have
   * @param inUse how many it has
   */
  Descriptors(long limit, LongSupplier inUse) {
    this.limit = limit;
    this.inUse = inUse;
  }

  /** The process's limit; practically unlimited where it cannot be determined. */
  static long limit() {
    try {
      return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
          ? unix.getMaxFileDescriptorCount()
          : Long.MAX_VALUE;
    } catch (NoClassDefFoundError e) {
      return Long.MAX_VALUE; // a runtime image without the module
    }
  }

  private static long inUse() {
    try {
      return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
          ? unix.getOpenFileDescriptorCount()
          : 0;
    } catch (NoClassDefFoundError e) {
      return 0;
    } catch (InternalError e) {
      return Long.MAX_VALUE; // to count them takes a descriptor
    }
  }

  /**
   * Runs an operation that opens something and may be repeated, as {@link Uninterrupted#call} does,
   * and again when there was no descriptor for it, as long as others close theirs.
   */
  <T> T call(Uninterrupted.Operation<T> operation) throws IOException {
    int attempts = 1;
    while (true) {
      try {
        return Uninterrupted.call(operation);
      } catch (IOException e) {
        if (!isLackingFor(e) || attempts == MOST_ATTEMPTS || !giveUp(AT_ONCE)) {
          throw e;
        }
        attempts++;
      }
    }
  }

  /**
   * Whether something could not be opened because there were no descriptors left. Java has no
   * exception type for that, and the text is in the language of the process.
   */
  boolean isLackingFor(IOException e) {
    String message = e.getMessage();
    boolean isUnspecific =
        e instanceof FileNotFoundException || e.getClass().equals(FileSystemException.class);
    return (message != null && message.contains("Too many open files"))
        || (isUnspecific && inUse.getAsLong() >= limit - LEAST);
  }

  /** A file was opened that may close its descriptor. */
  void opened(Holder holder) {
    int most = (int) Math.max(1, Math.min(limit / 2, Integer.MAX_VALUE));
    int tooMany;
    synchronized (holders) {
      holders.add(holder);
      tooMany = holders.size() - most;
    }
    if (tooMany > 0) {
      giveUp(tooMany);
    }
  }

  /** It was closed for good. */
  void closed(Holder holder) {
    synchronized (holders) {
      holders.remove(holder);
    }
  }

  /** Some close their descriptors. Returns whether there was one. */
  @CanIgnoreReturnValue
  private boolean giveUp(int count) {
    List<Holder> chosen = choose(count);
    chosen.forEach(Holder::giveUp); // not with the lock: it may wait for a read to be abandoned
    return !chosen.isEmpty();
  }

  /** Those not used for longest, as far as is known: one that was used gets a second chance. */
  private List<Holder> choose(int count) {
    List<Holder> chosen = new ArrayList<>();
    synchronized (holders) {
      for (int left = 2 * holders.size(); left > 0 && chosen.size() < count; left--) {
        Iterator<Holder> all = holders.iterator();
        if (!all.hasNext()) {
          break;
        }
        Holder first = all.next();
        all.remove();
        if (first.wasUsed()) {
          holders.add(first);
        } else {
          chosen.add(first);
        }
      }
    }
    return chosen;
  }

  /**
   * Runs an operation that the platform aborts when its thread is interrupted, so that it finishes
   * all the same and the thread keeps its interrupt status. {@link java.nio.channels.FileChannel}
   * closes itself when its thread is interrupted. So the status is cleared before the operation and
   * restored afterwards, and an interrupt that arrives during the operation makes it run again.
   *
   * <p>Only for operations that open what they use and may be repeated. A sync may not: see {@link
   * #onOwnThread}.
   */
  static final class Uninterrupted {
    private Uninterrupted() {}

    /** An operation on files. */
    @FunctionalInterface
    interface Operation<T> {
      T run() throws IOException;
    }

    /** Repeats the operation until no interrupt aborted it. */
    static <T> T call(Operation<T> operation) throws IOException {
      boolean interrupted = Thread.interrupted();
      try {
        while (true) {
          try {
            return operation.run();
          } catch (ClosedByInterruptException e) {
            interrupted = true;
            Thread.interrupted();
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /**
     * Runs the operation once, on a private thread that no other code can interrupt. For a sync
     * through a channel: an interrupt would hide its outcome, and a second sync after a failed one
     * reports success for data that is lost.
     */
    static void onOwnThread(String threadName, Operation<?> operation) throws IOException {
      FutureTask<?> task = new FutureTask<>(operation::run);
      Thread thread = new Thread(task, threadName);
      thread.setDaemon(true);
      thread.start();
      try {
        Uninterruptibles.getUninterruptibly(task);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw Failures.unchecked(e.getCause());
      }
    }
  }
}
