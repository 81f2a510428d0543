package io.sifr.internal.util;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets readers use what they found in a published structure without counting references to it: a
 * cleaner takes a thing out of the structure, hands its disposal to {@link #retire}, and the
 * disposal runs when every reader that might have found the thing has left. (Read-copy-update with
 * two generations of readers, as in SRCU.)
 *
 * <pre>
 *   reader                                cleaner
 *     ticket = enter()                      publish a structure without the thing
 *     load the structure, use the thing     retire(dispose of the thing)
 *     exit(ticket)
 * </pre>
 *
 * <p><b>Why it is right.</b> A reader counts itself in and then loads the structure; a cleaner
 * publishes the structure and then looks at the counts. If neither saw the other's first step, the
 * thing would be disposed of under the reader. Counting is a volatile read-modify-write, looking a
 * volatile read behind a full fence, and the structure must be published and loaded through a
 * volatile field: all four are then in one total order, in which either the cleaner's look comes
 * behind the reader's count, or the reader's load behind the publication.
 *
 * <p>A reader's count lies in a cell chosen by its thread, each on cache lines of its own, so
 * readers on different cores write to no common word. A cell that is seen at zero, at any time
 * after the disposal was handed in, has no reader left that was inside then; cells need not be at
 * zero together. For this to happen although readers come and go without a gap, every cell is two,
 * for two generations: while one is waited for, newcomers count in the other. A reader may load the
 * number of the generation and count itself in much later, in the one meanwhile waited for; so both
 * are waited for, one after the other, before a disposal runs.
 *
 * <p>Readers never wait, and never run a disposal, which may be slow and do I/O: that is done by
 * {@link #retire}, {@link #tryDrain} and {@link #drain}. A thread may be inside several times. It
 * must not call {@code drain} while inside: it would wait for itself.
 */
public final class ReadEpochs {
  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

  /** Longs per cell: two cache lines, since processors fetch them in pairs. */
  private static final int CELL_LONGS = 16;

  private static final int MIN_CELLS = 64;
  private static final int MAX_CELLS = 1024;
  private static final long POLL_NANOS = 50_000;

  private final int cellMask;

  /** Readers inside: generation g of cell c at (c + 1) * CELL_LONGS + g. */
  private final long[] counts;

  /** Generation in which newcomers count, 0 or 1. Written by who holds {@link #cleaning}. */
  private volatile int generation;

  /** Held while disposals are waited for or run, not while they are handed in. */
  private final ReentrantLock cleaning = new ReentrantLock();

  private final Object handingIn = new Object();
  private ArrayDeque<Runnable> handedIn = new ArrayDeque<>(); // guarded by handingIn
  private long retired; // guarded by handingIn

  private ArrayDeque<Runnable> waiting = new ArrayDeque<>(); // guarded by cleaning
  private boolean
      turned; // guarded by cleaning; whether the generation changed since waiting was filled

  private long disposed; // guarded by cleaning

  /** Epochs that nobody is in. */
  public ReadEpochs() {
    int wanted = 8 * Runtime.getRuntime().availableProcessors();
    int cells = Integer.highestOneBit(Math.max(MIN_CELLS, Math.min(MAX_CELLS, wanted)));
    cellMask = cells - 1;
    counts = new long[(cells + 1) * CELL_LONGS];
  }

  /**
   * Begins a section in which nothing is disposed of that can be found from now on. Ends with
   * {@link #exit}.
   */
  public int enter() {
    return enter(generation);
  }

  /** The second half of {@link #enter()}, before which a reader may be held up for any time. */
  int enter(int inGeneration) {
    int cell = (int) Thread.currentThread().getId() & cellMask;
    int ticket = (cell + 1) * CELL_LONGS + inGeneration;
    COUNTS.getAndAdd(counts, ticket, 1L);
    return ticket;
  }

  /**
   * Begins one more section beside one that has not ended: for another thread, which goes on using
   * what was found in that one, perhaps for longer. Ends with an {@link #exit} of its own.
   *
   * <p>It is counted where the first one is. {@link #enter} would not do: a disposal that waits for
   * the first section may have turned the generation already, and does not wait for those who enter
   * the new one. So a cell that has not been empty stays so until both have ended.
   *
   * @param ticket of the section under way
   */
  public int enterBeside(int ticket) {
    COUNTS.getAndAdd(counts, ticket, 1L);
    return ticket;
  }

  /**
   * Ends a section. Any thread may do it, but once.
   *
   * @param ticket what {@link #enter} returned
   */
  public void exit(int ticket) {
    COUNTS.getAndAdd(counts, ticket, -1L);
  }

  /**
   * Has {@code disposal} run once every reader that is inside now has left: in this call if that is
   * so already, otherwise in a later call of this method, of {@link #tryDrain} or of {@link
   * #drain}. The thing must have been taken out of the published structure before.
   *
   * @throws RuntimeException what a disposal threw that came to be run in this call; the others
   *     have run nevertheless
   */
  public void retire(Runnable disposal) {
    synchronized (handingIn) {
      handedIn.add(disposal);
      retired++;
    }
    tryDrain();
  }

  /**
   * Runs the disposals whose readers have left, unless another thread is at it or this one is, in a
   * disposal.
   *
   * @return whether none was left
   * @throws RuntimeException what a disposal threw; the others have run nevertheless
   */
  public boolean tryDrain() {
    if (cleaning.isHeldByCurrentThread() || !cleaning.tryLock()) {
      return false;
    }
    try {
      return runReady();
    } finally {
      cleaning.unlock();
    }
  }

  /**
   * Waits until everything handed in before this call was disposed of, and does it. Interrupts do
   * not end the wait; they are kept for the caller.
   *
   * @throws IllegalStateException when called from a disposal
   * @throws RuntimeException what a disposal threw
   */
  public void drain() {
    if (cleaning.isHeldByCurrentThread()) {
      throw new IllegalStateException("a disposal must not wait for itself");
    }
    long target;
    synchronized (handingIn) {
      target = retired;
    }
    boolean interrupted = false;
    while (!drainedTo(target)) {
      LockSupport.parkNanos(POLL_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean drainedTo(long target) {
    cleaning.lock();
    try {
      return runReady() || disposed >= target;
    } finally {
      cleaning.unlock();
    }
  }

  /** Runs what can be run; whether nothing was left. Needs {@link #cleaning}. */
  private boolean runReady() {
    RuntimeException failure = null;
    while (takeOver() && readersHaveLeft()) {
      for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
        disposed++;
        try {
          next.run();
        } catch (RuntimeException e) {
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return waiting.isEmpty();
  }

  /**
   * Begins to wait for what was handed in, unless disposals are waited for already; false when
   * there are none.
   */
  private boolean takeOver() {
    if (!waiting.isEmpty()) {
      return true;
    }
    synchronized (handingIn) {
      ArrayDeque<Runnable> empty = waiting;
      waiting = handedIn;
      handedIn = empty;
    }
    turned = false;
    return !waiting.isEmpty();
  }

  /** Whether nobody is inside any more who may know of what is waiting. */
  private boolean readersHaveLeft() {
    VarHandle.fullFence();
    if (!turned) {
      int other = 1 - generation;
      if (!isEmpty(other)) {
        return false;
      }
      generation = other;
      turned = true;
    }
    return isEmpty(1 - generation);
  }

  /** Generation in which a reader that enters now counts itself. */
  int generation() {
    return generation;
  }

  private boolean isEmpty(int ofGeneration) {
    for (int cell = 0; cell <= cellMask; cell++) {
      if ((long) COUNTS.getVolatile(counts, (cell + 1) * CELL_LONGS + ofGeneration) != 0) {
        return false;
      }
    }
    return true;
  }
}
