package io.sifr.internal.background;

import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.PartTask;
import io.sifr.internal.compaction.Parts;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.state.DatabaseHandle;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A compaction at work: its parts, which threads take one after the other, and how it ended. The
 * thread that comes first prepares it, the one that completes the last part ends it; which ones
 * these are does not matter.
 *
 * <p>Thread-safe.
 */
final class CompactionRun {
  /** Parts for each thread there is: so that none has nothing to do while another has much. */
  private static final int PARTS_PER_THREAD = 4;

  /** A part is worth this many split units of input at least. */
  private static final int SPLIT_UNITS_PER_PART = 8;

  private final CompactionWork work;
  private final DueCompaction due;
  private final long inputBytes;
  private final boolean awaited;
  private final long start = System.nanoTime();

  // All below guarded by this.

  private @Nullable CompactionJournal journal;
  private List<KeySpan> parts = List.of();
  private long[] snapshots = {};
  private int taken;

  /** Threads in {@link #work}; the one that is to prepare the run counts from the beginning. */
  private int working = 1;

  private boolean over;
  private @Nullable Throwable failure;

  /**
   * @param awaited whether somebody waits for the end, who is going to {@link #end} it
   */
  CompactionRun(CompactionWork work, DueCompaction due, boolean awaited) {
    this.work = work;
    this.due = due;
    this.inputBytes = due.plan().inputBytes();
    this.awaited = awaited;
  }

  boolean isAwaited() {
    return awaited;
  }

  /** Whether nobody works at it any more, and nobody will. */
  synchronized boolean isOver() {
    return over;
  }

  DueCompaction due() {
    return due;
  }

  /** Whether it is the one that has begun under that number. */
  synchronized boolean isRunOf(Compaction begun) {
    Compaction resumed = plan().begun();
    return resumed != null
        ? resumed.number() == begun.number()
        : journal != null && journal.number() == begun.number();
  }

  long inputBytes() {
    return inputBytes;
  }

  DatabaseHandle database() {
    return due.database();
  }

  CompactionPlan plan() {
    return due.plan();
  }

  /**
   * Chooses the parts; the first thing that happens to a run, by a thread that may take its time
   * and calls {@link #work} then.
   *
   * @param threads how many may work at it
   */
  void prepare(int threads) {
    try {
      List<KeySpan> chosen =
          Parts.split(
              plan().inputs(),
              plan().spans(),
              threads == 1 ? 1 : threads * PARTS_PER_THREAD,
              work.splitUnitBytes() * SPLIT_UNITS_PER_PART);
      CompactionJournal created = work.journal(due);
      synchronized (this) {
        parts = chosen;
        journal = created;
        snapshots = work.snapshots();
      }
      work.chosen(due);
      if (awaited) {
        created.begin(); // so that the policy knows that its inputs are taken
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Whether another thread would find something to do. */
  synchronized boolean hasWaitingPart() {
    return failure == null && taken < parts.size();
  }

  /** Called before {@link #work} by all threads but the one that has prepared the run. */
  synchronized void join() {
    working++;
  }

  /**
   * Takes parts, one after the other, until none is left.
   *
   * @return whether all is done or has failed, and it is upon this thread to call {@link #end}
   */
  boolean work(TaskEnvironment environment) {
    for (PartTask task = take(environment); task != null; task = take(environment)) {
      try {
        environment.yieldPoint().run();
        task.run();
      } catch (RuntimeException | Error e) {
        fail(explained(e));
      }
    }
    synchronized (this) {
      working--;
      boolean last = working == 0 && !over && !hasWaitingPart();
      over |= last;
      return last;
    }
  }

  private @Nullable PartTask take(TaskEnvironment environment) {
    CompactionJournal open;
    KeySpan part;
    synchronized (this) {
      open = journal;
      if (open == null || !hasWaitingPart()) {
        return null;
      }
      part = parts.get(taken++);
    }
    // Not within the lock: it is the innermost of all, and the journal has one of its own.
    return new PartTask(environment, plan(), part, snapshots, open.part(part));
  }

  private synchronized void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    } else if (e != failure && !(e instanceof CancellationException)) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Called by a task now and then.
   *
   * @throws CancellationException when the task of another part has failed
   */
  synchronized void checkGoesOn() {
    if (failure != null) {
      throw new CancellationException("another part of the compaction has failed");
    }
  }

  /**
   * Commits what is to be committed and deletes what is not. What stopped the merge is what it
   * throws.
   */
  void end() {
    CompactionJournal open;
    Throwable cause;
    synchronized (this) {
      open = journal;
      cause = failure;
    }
    if (open == null) {
      rethrow(cause);
      return;
    }
    try {
      if (cause == null) {
        open.end();
      } else if (work.keepsProgress() && isCurable(cause)) {
        // What is written need not be written again, and its inputs make room.
        open.commit();
      }
    } catch (RuntimeException | Error e) {
      Throwable why = explained(e);
      fail(why);
      cause = cause == null ? why : cause;
    } finally {
      open.discard();
    }
    if (cause != null) {
      work.suspended();
    }
    rethrow(cause);
    work.compacted(due, open.sums(), System.nanoTime() - start);
  }

  /**
   * Entries in wrong order, or such that no writer takes, lie in a file that is damaged although
   * its checksums are right. Nobody looks for them while all is well; here it is found out where
   * they are.
   */
  private Throwable explained(Throwable e) {
    if (e instanceof IllegalArgumentException || e instanceof IndexOutOfBoundsException) {
      for (LogicalTree tree : plan().inputs()) {
        for (Sst sst : tree.ssts()) {
          try {
            verify(sst);
          } catch (SifrException damage) {
            damage.addSuppressed(e);
            return damage;
          }
        }
      }
    }
    return e;
  }

  private static void verify(Sst sst) {
    if (sst.tryPin()) {
      try {
        sst.verify();
      } finally {
        sst.unpin();
      }
    }
  }

  private static boolean isCurable(Throwable cause) {
    return cause instanceof StoreFullException || cause instanceof CancellationException;
  }

  private static void rethrow(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException e) {
      throw e;
    } else if (cause instanceof Error e) {
      throw e;
    }
  }
}
