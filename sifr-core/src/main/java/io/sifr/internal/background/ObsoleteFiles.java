package io.sifr.internal.background;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Failures;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.view.ReadEpochs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * SSTs that no view shows any more. They are unmapped and deleted when no thread can be reading
 * them: point reads that may have seen an older view have left their epoch, and cursors have
 * released their pins. Those that point reads still use are tried again a few milliseconds later.
 *
 * <p>The caller maintains I4: an SST is retired only after the edit that makes it obsolete is
 * durable. Thread-safe.
 */
public final class ObsoleteFiles {
  private static final long READER_POLL_NANOS = 50_000;
  private static final long PAUSE_MILLIS = 5;

  /** A read that takes longer than that may be one that waits for its caller's own write. */
  private static final long MOST_NANOS_FOR_SPACE = TimeUnit.SECONDS.toNanos(1);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final ReadEpochs epochs;
  private final BackgroundThreads threads;
  private final ConcurrentLinkedQueue<Sst> deletable = new ConcurrentLinkedQueue<>();

  /** Held while files are deleted. */
  private final Object deleting = new Object();

  /** True if another attempt is scheduled. */
  private final AtomicBoolean isScheduled = new AtomicBoolean();

  /** Nothing is obsolete yet. */
  public ObsoleteFiles(
      StoreFileSystem fileSystem, Path directory, ReadEpochs epochs, BackgroundThreads threads) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.epochs = epochs;
    this.threads = threads;
  }

  /** Retires SSTs that no view shows any more. */
  public void retire(Collection<Sst> ssts) {
    if (!ssts.isEmpty()) {
      epochs.retire(() -> ssts.forEach(sst -> sst.markObsolete(() -> deletable.add(sst))));
    }
  }

  /**
   * Lets go of value files that a write buffer has held, which no view shows any more.
   *
   * @param values null: it has held none
   */
  public void letGo(@Nullable HeldValueFiles values) {
    if (values != null) {
      epochs.retire(values::close);
      reclaimSoon();
    }
  }

  /** Reclaims on the background thread. */
  public void reclaimSoon() {
    threads.executeLater(this::reclaim, 0);
  }

  /**
   * Deletes retired SSTs that no thread can be reading any more, and schedules another attempt if
   * some still wait for point reads. Called by threads that flush, compact or close the store. Such
   * a thread waits for another one that is unmapping or deleting: else it would go on to fill the
   * disk with what the other one, if it is slow, has yet to delete (TPDS §4.3).
   *
   * @return whether some still wait
   */
  @CanIgnoreReturnValue
  public boolean reclaim() {
    boolean allRetired = epochs.drainReady();
    deleteAll();
    if (!allRetired && isScheduled.compareAndSet(false, true)) {
      threads.executeLater(this::reclaimAgain, PAUSE_MILLIS);
    }
    return !allRetired;
  }

  private void deleteAll() {
    synchronized (deleting) {
      List<Sst> kept = new ArrayList<>();
      for (Sst sst = deletable.poll(); sst != null; sst = deletable.poll()) {
        fileSystem.reached(BackgroundCrashPoint.CLEAN_BEFORE_DELETE);
        if (sst.delete(fileSystem, directory)) {
          fileSystem.reached(BackgroundCrashPoint.CLEAN_DELETED);
        } else {
          kept.add(sst);
        }
      }
      // Tried again when there is more to delete, or by the next open.
      deletable.addAll(kept);
    }
  }

  private void reclaimAgain() {
    isScheduled.set(false);
    reclaim();
  }

  /**
   * For a thread that has found the disk full: waits a little for the point reads in progress, and
   * deletes what only they have kept. Else it would give up because of space that is free a moment
   * later. Waits for nothing if nothing is retired.
   */
  public void reclaimForSpace() {
    long began = System.nanoTime();
    while (reclaim() && System.nanoTime() - began < MOST_NANOS_FOR_SPACE) {
      LockSupport.parkNanos(READER_POLL_NANOS);
    }
  }

  /**
   * Waits until every point read in progress has ended; SSTs that were retired before are then
   * unmapped.
   */
  public void awaitReaders() {
    AtomicBoolean left = new AtomicBoolean();
    Failures failures = new Failures();
    failures.collect(() -> epochs.retire(() -> left.set(true)));
    // Whatever fails: the caller unmaps files next, and a late reader would crash the JVM.
    while (!left.get()) {
      LockSupport.parkNanos(READER_POLL_NANOS);
      failures.collect(epochs::tryDrain);
    }
    failures.throwFirst();
  }
}
