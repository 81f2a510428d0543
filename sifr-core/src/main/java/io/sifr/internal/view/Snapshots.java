package io.sifr.internal.view;

import static com.google.common.base.Preconditions.checkState;

import java.lang.ref.Cleaner;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequence numbers at which snapshots and cursors read. A flush or compaction gets them when it
 * begins and keeps what they can see; a snapshot acquired later is newer than everything that the
 * flush or compaction reads, so it needs nothing older.
 *
 * <p>Thread-safe.
 */
public final class Snapshots {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private final LongSupplier visibleSequence;

  /** Sequence number → handles open at it. Guarded by this. */
  private final TreeMap<Long, Integer> open = new TreeMap<>();

  /** The next release of a smaller number is notified. Guarded by this. */
  private long awaitedBefore;

  private volatile Runnable whenReleased = () -> {};

  /**
   * @param visibleSequence the newest sequence number whose batch is wholly visible
   */
  public Snapshots(LongSupplier visibleSequence) {
    this.visibleSequence = visibleSequence;
  }

  /**
   * Registers the newest visible sequence number. Reading and registering it is one atomic step, or
   * a compaction could begin in between.
   */
  public synchronized Handle acquire() {
    return register(visibleSequence.getAsLong());
  }

  /**
   * Registers a sequence number that is registered already, for a cursor that may outlive its
   * snapshot.
   *
   * @throws IllegalStateException when it is no longer registered
   */
  public synchronized Handle acquireAt(long sequence) {
    checkState(open.containsKey(sequence), "the snapshot is closed");
    return register(sequence);
  }

  private Handle register(long sequence) {
    open.merge(sequence, 1, Integer::sum);
    return new Handle(this, sequence);
  }

  private void release(long sequence) {
    if (unregister(sequence)) {
      whenReleased.run();
    }
  }

  /** Returns whether it is to be notified. */
  private synchronized boolean unregister(long sequence) {
    Integer left = open.computeIfPresent(sequence, (key, count) -> count == 1 ? null : count - 1);
    boolean isAwaited = left == null && sequence < awaitedBefore;
    if (isAwaited) {
      awaitedBefore = 0;
    }
    return isAwaited;
  }

  /**
   * Notifies of releases that {@link #awaitRelease} waits for.
   *
   * @param told runs on the thread that closes the number's last handle, so it should be short
   */
  public void whenReleased(Runnable told) {
    whenReleased = told;
  }

  /**
   * Requests a notification, once, when a smaller number than that is released.
   *
   * @param seen what {@link #sequences} returned before
   * @return false when one of these was released meanwhile: then nobody is notified
   */
  public synchronized boolean awaitRelease(long before, long[] seen) {
    for (long sequence : seen) {
      if (sequence < before && !open.containsKey(sequence)) {
        return false;
      }
    }
    awaitedBefore = Math.max(awaitedBefore, before);
    return true;
  }

  /** The distinct registered sequence numbers, ascending. */
  public synchronized long[] sequences() {
    return open.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * A registered sequence number. A warning is logged if it is garbage-collected without being
   * closed.
   */
  public static final class Handle implements AutoCloseable {
    private final Registration registration;
    private final Cleaner.Cleanable cleanable;

    private Handle(Snapshots snapshots, long sequence) {
      this.registration = new Registration(snapshots, sequence);
      this.cleanable = CLEANER.register(this, registration);
    }

    /**
     * The sequence number to read at.
     *
     * @throws IllegalStateException after {@link #close}
     */
    public long sequence() {
      checkState(!registration.closed.get(), "the snapshot is closed");
      return registration.sequence;
    }

    @Override
    public void close() {
      registration.closedByUser = true;
      cleanable.clean();
    }
  }

  /** The state that the cleaner refers to; it must not refer to the handle itself. */
  private static final class Registration implements Runnable {
    private final Snapshots snapshots;
    private final long sequence;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean closedByUser;

    private Registration(Snapshots snapshots, long sequence) {
      this.snapshots = snapshots;
      this.sequence = sequence;
    }

    @Override
    public void run() {
      if (closed.compareAndSet(false, true)) {
        snapshots.release(sequence);
        if (!closedByUser) {
          LOG.warn(
              "a snapshot or cursor at sequence {} was dropped without being closed", sequence);
        }
      }
    }
  }
}
