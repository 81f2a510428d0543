package io.sifr.internal.background;

import io.sifr.error.StoreIoException;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.WriteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When write buffers are flushed: as soon as one is immutable, all by one thread, so that the trees
 * of a database are added to stage 1 in the order of its write buffers (I1).
 */
final class FlushSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSchedule.class);
  private static final String FLUSH = "flush";

  private final WorkParts parts;
  private final WorkMonitor monitor;
  private final FlushRun run;
  private final CompactionSchedule compactions;
  private final ObsoleteFiles obsoleteFiles;
  private final Retries retries;

  /** Whether the thread is flushing. Guarded by the monitor. */
  private boolean flushing;

  FlushSchedule(
      WorkParts parts,
      FlushRun run,
      CompactionSchedule compactions,
      ObsoleteFiles obsoleteFiles,
      Retries retries) {
    this.parts = parts;
    this.monitor = parts.monitor();
    this.run = run;
    this.compactions = compactions;
    this.obsoleteFiles = obsoleteFiles;
    this.retries = retries;
  }

  /** Starts flushing if there is an immutable write buffer. */
  void wake() {
    synchronized (monitor) {
      if (monitor.goesOn() && !flushing && !monitor.flushes().isPausing() && next().isPresent()) {
        flushing = true;
        parts.threads().execute(this::flushAll);
      }
      monitor.changed();
    }
  }

  private Optional<DatabaseHandle> next() {
    return parts.state().databases().all().stream()
        .filter(database -> !database.isDropped())
        .filter(database -> !database.view().get().immutables().isEmpty())
        .findFirst();
  }

  private void flushAll() {
    try {
      for (Optional<DatabaseHandle> next = next();
          next.isPresent() && !parts.state().failure().isNoted();
          next = next()) {
        run.flush(next.get());
        flushed();
        parts.state().writes().goOn();
        compactions.wake();
      }
      obsoleteFiles.reclaim();
    } catch (StoreIoException e) {
      retries.failed(FLUSH, monitor.flushes(), e, this::wake);
    } catch (CancellationException e) {
      LOG.debug("flush stopped: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      retries.stopWrites(FLUSH, e);
    } finally {
      synchronized (monitor) {
        flushing = false;
      }
      parts.state().writes().goOn();
      wake();
      compactions.wake();
    }
  }

  private void flushed() {
    int failed;
    synchronized (monitor) {
      failed = monitor.flushes().succeeded();
    }
    Retries.succeeded(FLUSH, failed);
  }

  /** Whether nothing is being flushed or waits for it. The caller holds the monitor. */
  boolean isIdle() {
    return !flushing && next().isEmpty();
  }

  /** Waits until all write buffers that are immutable now are flushed. */
  void awaitFlushed(DatabaseHandle database) {
    List<WriteBuffer> waiting = database.view().get().immutables();
    monitor.await(
        () ->
            database.isDropped()
                || Collections.disjoint(database.view().get().immutables(), waiting));
  }
}
