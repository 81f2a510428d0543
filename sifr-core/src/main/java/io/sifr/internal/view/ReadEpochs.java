package io.sifr.internal.view;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Epoch-based reclamation: lets readers use objects of a published structure without counting
 * references to them. A cleaner removes an object from the structure and passes its disposal to
 * {@link #retire}; the disposal runs when every reader that might have found the object has left.
 * (Read-copy-update with two generations of readers, as in SRCU.)
 *
 * <pre>
 *   reader                                cleaner
 *     ticket = enter()                      publish a structure without the object
 *     load the structure, use the object     retire(dispose of the object)
 *     exit(ticket)
 * </pre>
 *
 * <p><b>Correctness.</b> A reader counts itself in and then loads the structure; a cleaner
 * publishes the structure and then looks at the counts. If neither saw the other's first step, the
 * object would be disposed of while the reader uses it. The reader counts with a volatile
 * read-modify-write, the cleaner looks with a volatile read after a full fence, and the structure
 * must be published and loaded through a volatile field. All four operations are then in one total
 * order, in which either the cleaner's look comes after the reader's count, or the reader's load
 * comes after the publication.
 *
 * <p>A reader counts in a cell chosen by its thread. Each cell has cache lines of its own, so
 * readers on different cores write to no common word. When a cell is zero at any time after the
 * disposal was handed in, no reader that was inside at that moment is left in it; the cells need
 * not be zero at the same time. To reach zero even if readers come and go without a gap, every cell
 * has two counts, one per generation: while the cleaner waits for one generation, new readers count
 * in the other. A reader may load the number of the generation and count itself in much later, in a
 * generation the cleaner is waiting for by then; so the cleaner waits for both generations, one
 * after the other, before a disposal runs.
 *
 * <p>Readers never wait and never run a disposal, which may be slow and do I/O: disposals run in
 * {@link #retire}, {@link #tryDrain}, {@link #drainReady} and {@link #drain}. A thread may be
 * inside several times. It must not call {@code drain} while inside: it would wait for itself.
 */
public final class ReadEpochs {
  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

  /** Longs per cell: two cache lines, since processors fetch them in pairs. */
  private static final int CELL_LONGS = 16;

  private static final int MIN_CELLS = 64;
  private static final int MAX_CELLS = 1024;
  private static final long POLL_NANOS = 50_000;

  private final int cellMask;

  /** Number of readers inside: generation g of cell c is at (c + 1) * CELL_LONGS + g. */
  private final long[] counts;

  /** Generation in which new readers count, 0 or 1. Written with {@link #cleaning} held. */
  private volatile int generation;

  /** Held while waiting for readers and running disposals, not while disposals are handed in. */
  private final ReentrantLock cleaning = new ReentrantLock();

  private final Object handingIn = new Object();
  private ArrayDeque<Runnable> handedIn = new ArrayDeque<>(); // guarded by handingIn
  private long retired; // guarded by handingIn

  private ArrayDeque<Runnable> waiting = new ArrayDeque<>(); // guarded by cleaning
  private boolean
      turned; // guarded by cleaning; whether the generation changed since waiting was filled

  private long disposed; // guarded by cleaning

  /** Epochs without readers. */
  public ReadEpochs() {
    int wanted = 8 * Runtime.getRuntime().availableProcessors();
    int cells = Integer.highestOneBit(Math.max(MIN_CELLS, Math.min(MAX_CELLS, wanted)));
    cellMask = cells - 1;
    counts = new long[(cells + 1) * CELL_LONGS];
  }

  /**
   * Begins a section: nothing that can be found from now on is disposed of until it ends with
   * {@link #exit}.
   */
  public int enter() {
    return enter(generation);
  }

  /** The second half of {@link #enter()}; a reader may be delayed arbitrarily before it. */
  int enter(int inGeneration) {
    int cell = (int) Thread.currentThread().getId() & cellMask;
    int ticket = (cell + 1) * CELL_LONGS + inGeneration;
    COUNTS.getAndAdd(counts, ticket, 1L);
    return ticket;
  }

  /**
   * Begins a second section while one is under way, for another thread that goes on using what was
   * found in the first, perhaps for longer. Ends with an {@link #exit} of its own.
   *
   * <p>It is counted in the cell of the first one. {@link #enter} would not do: a disposal that
   * waits for the first section may have switched the generation already, and does not wait for
   * readers that enter the new one. So the count, which is not zero, stays above zero until both
   * sections have ended.
   *
   * @param ticket of the section under way
   */
  public int enterBeside(int ticket) {
    COUNTS.getAndAdd(counts, ticket, 1L);
    return ticket;
  }

  /**
   * Ends a section. Any thread may call this, once per section.
   *
   * @param ticket what {@link #enter} or {@link #enterBeside} returned
   */
  public void exit(int ticket) {
    COUNTS.getAndAdd(counts, ticket, -1L);
  }

  /**
   * Runs {@code disposal} once every reader that is inside now has left: in this call if they have
   * left already, otherwise in a later call of this method or of another one that runs disposals.
   * The object must have been removed from the published structure before.
   *
   * @throws RuntimeException what a disposal run by this call threw; the others have run
   *     nevertheless
   */
  public void retire(Runnable disposal) {
    synchronized (handingIn) {
      handedIn.add(disposal);
      retired++;
    }
    tryDrain();
  }

  /**
   * Runs the disposals whose readers have left, unless another thread is doing so, or this thread
   * is inside a disposal.
   *
   * @return whether no disposal is left
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
   * Runs the disposals whose readers have left, after another thread that is doing so has ended:
   * when this returns, only readers keep what was handed in before. Does nothing inside a disposal.
   *
   * @return whether no disposal is left
   * @throws RuntimeException what a disposal threw; the others have run nevertheless
   */
  public boolean drainReady() {
    if (cleaning.isHeldByCurrentThread()) {
      return false;
    }
    cleaning.lock();
    try {
      return runReady();
    } finally {
      cleaning.unlock();
    }
  }

  /**
   * Waits until every disposal handed in before this call has run, and runs them. An interrupt does
   * not end the wait; the thread keeps its interrupt status.
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

  /** Runs the disposals that can run; returns whether none is left. Needs {@link #cleaning}. */
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
   * Begins waiting for the readers of the disposals that were handed in, unless it is waiting for
   * others already; false when there are none.
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

  /** Whether every reader that may know of the waiting objects has left. */
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

  /** Generation in which a reader that enters now is counted. */
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
