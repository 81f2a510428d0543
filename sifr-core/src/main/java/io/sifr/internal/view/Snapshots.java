package io.sifr.internal.view;

import static com.google.common.base.Preconditions.checkState;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequence numbers at which snapshots and cursors read. A flush or compaction gets them when it
 * begins and keeps what they can see; a snapshot acquired later is newer than everything that the
 * flush or compaction reads, so it needs nothing older.
 *
 * <p>To register the newest number and to end that takes no lock: one word of an array is set, and
 * set back. Threads begin to look for a free one at different places.
 *
 * <p>Thread-safe.
 */
public final class Snapshots {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
  private static final VarHandle PLACES = MethodHandles.arrayElementVarHandle(Registration[].class);

  /** Places of a thread: a line of the CPU's cache. */
  private static final int STRIPE = 16;

  private static final int MIN_STRIPES = 8;
  private static final int MAX_STRIPES = 64;

  /** Instead of a place: it is among {@link #others}. */
  private static final int NO_PLACE = -1;

  private final LongSupplier visibleSequence;

  /** What is registered; null in a free place. */
  private final @Nullable Registration[] places;

  /** What is registered as well: there was no free place. */
  private final Set<Registration> others = ConcurrentHashMap.newKeySet();

  /** The next release of a smaller number is notified. Written under this. */
  private volatile long awaitedBefore;

  private volatile Runnable whenReleased = () -> {};

  /**
   * @param visibleSequence the newest sequence number whose batch is wholly visible
   */
  public Snapshots(LongSupplier visibleSequence) {
    this.visibleSequence = visibleSequence;
    int stripes = 2 * Integer.highestOneBit(Runtime.getRuntime().availableProcessors());
    places = new Registration[Math.max(MIN_STRIPES, Math.min(MAX_STRIPES, stripes)) * STRIPE];
  }

  /** Registers the newest visible sequence number. */
  public Handle acquire() {
    Handle handle = new Handle(this);
    handle.registration.acquire();
    return handle;
  }

  /**
   * A merge may ask for the numbers just before this one is registered, and drop what is seen at it
   * but not at newer ones. So the number is taken only if it is still the newest once it is
   * registered: then the merge reads nothing newer.
   */
  private void register(Registration added) {
    long newest = visibleSequence.getAsLong();
    added.sequence = newest;
    keep(added);
    for (long now = visibleSequence.getAsLong(); now != newest; now = visibleSequence.getAsLong()) {
      long before = newest;
      newest = now;
      added.sequence = now;
      released(before);
    }
    added.isSettled = true;
  }

  /** No merge asks for the numbers meanwhile: it could see neither this one nor the other. */
  private synchronized void registerAt(Registration added, long sequence) {
    checkState(
        registered().stream().anyMatch(other -> other.sequence == sequence && other.isSettled),
        "the snapshot is closed");
    added.sequence = sequence;
    added.isSettled = true;
    keep(added);
  }

  /**
   * Replaces the number of a registration by the newest one. As with the one above, a merge asks
   * either before the number is read, and then reads nothing newer, or after it is registered.
   */
  private void renew(Registration renewed) {
    long before = renewed.sequence;
    synchronized (this) {
      renewed.sequence = visibleSequence.getAsLong();
    }
    released(before);
  }

  private void keep(Registration added) {
    int first = (int) Thread.currentThread().getId() * STRIPE & (places.length - 1);
    for (int place = first; place < first + STRIPE; place++) {
      if (places[place] == null) {
        added.place = place;
        if (PLACES.compareAndSet(places, place, null, added)) {
          return;
        }
      }
    }
    added.place = NO_PLACE;
    others.add(added);
    VarHandle.fullFence(); // before the newest number is read again
  }

  private void unregister(Registration ended) {
    if (ended.place == NO_PLACE) {
      others.remove(ended);
      VarHandle.fullFence(); // before it is asked who waits
    } else {
      PLACES.setVolatile(places, ended.place, null);
    }
    released(ended.sequence);
  }

  /** A number is no longer registered by one of those that had registered it. */
  private void released(long sequence) {
    if (sequence < awaitedBefore && isAwaited(sequence)) {
      whenReleased.run();
    }
  }

  /** Returns whether it is to be notified. */
  private synchronized boolean isAwaited(long sequence) {
    if (sequence >= awaitedBefore
        || registered().stream().anyMatch(left -> left.sequence == sequence)) {
      return false;
    }
    awaitedBefore = 0;
    return true;
  }

  private List<Registration> registered() {
    VarHandle.fullFence();
    List<Registration> found = new ArrayList<>(others);
    for (int place = 0; place < places.length; place++) {
      Registration registration = (Registration) PLACES.getVolatile(places, place);
      if (registration != null) {
        found.add(registration);
      }
    }
    return found;
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
    long awaited = awaitedBefore;
    awaitedBefore = Math.max(awaited, before); // first, or a release could be missed
    long[] open = sequences();
    for (long sequence : seen) {
      if (sequence < before && Arrays.binarySearch(open, sequence) < 0) {
        awaitedBefore = awaited;
        return false;
      }
    }
    return true;
  }

  /** The distinct registered sequence numbers, ascending. */
  public synchronized long[] sequences() {
    return registered().stream().mapToLong(Registration::sequence).sorted().distinct().toArray();
  }

  /**
   * The registration of a sequence number for a user of it, which ends with that user: when it is
   * closed, or when it is found to be unreachable though nobody has closed it.
   */
  public abstract static class Registration extends PhantomReference<Object> {
    private static final ReferenceQueue<Object> LOST = new ReferenceQueue<>();

    static {
      Thread thread = new Thread(null, Registration::endLost, "sifr-lost", 0, false);
      thread.setContextClassLoader(null);
      thread.setDaemon(true);
      thread.start();
    }

    private final Snapshots snapshots;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long sequence;
    private int place;

    /** No merge can have overlooked the number. Read by threads that got the user from its own. */
    private boolean isSettled;

    /**
     * Registers nothing yet.
     *
     * @param user to which this must not refer
     */
    protected Registration(Snapshots snapshots, Object user) {
      super(user, LOST);
      this.snapshots = snapshots;
    }

    private static void endLost() {
      while (true) {
        try {
          ((Registration) LOST.remove()).end(true);
        } catch (InterruptedException | RuntimeException | Error e) { // or none would be any more
          LOG.warn("what was dropped without being closed cannot be released", e);
        }
      }
    }

    /** Registers the newest visible number. */
    public final void acquire() {
      snapshots.register(this);
    }

    /**
     * Registers a sequence number that is registered already, for a cursor that may outlive its
     * snapshot.
     *
     * @throws IllegalStateException when it is no longer registered
     */
    public final void acquireAt(long registered) {
      snapshots.registerAt(this, registered);
    }

    /** Replaces the number by the newest visible one. Only when it is registered. */
    public final void renew() {
      snapshots.renew(this);
    }

    /** The number. */
    public final long sequence() {
      return sequence;
    }

    /** Ends it. It can be called more than once. */
    public final void close() {
      end(false);
    }

    private void end(boolean isLost) {
      if (closed.compareAndSet(false, true)) {
        try {
          release(isLost);
        } finally {
          snapshots.unregister(this);
        }
      }
    }

    /**
     * Releases what else there is.
     *
     * @param isLost whether nobody has closed it
     */
    protected abstract void release(boolean isLost);
  }

  /**
   * A registered sequence number. A warning is logged if it is garbage-collected without being
   * closed.
   */
  public static final class Handle implements AutoCloseable {
    private final Registration registration;

    private Handle(Snapshots snapshots) {
      this.registration = new OfHandle(snapshots, this);
    }

    /**
     * The sequence number to read at.
     *
     * @throws IllegalStateException after {@link #close}
     */
    public long sequence() {
      checkState(!registration.closed.get(), "the snapshot is closed");
      return registration.sequence();
    }

    @Override
    public void close() {
      registration.close();
    }

    private static final class OfHandle extends Registration {
      private OfHandle(Snapshots snapshots, Handle handle) {
        super(snapshots, handle);
      }

      @Override
      protected void release(boolean isLost) {
        if (isLost) {
          LOG.warn("a snapshot at sequence {} was dropped without being closed", sequence());
        }
      }
    }
  }
}
