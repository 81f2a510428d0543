package io.sifr.internal.engine.load;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Failures;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads unsorted entries: they are sorted in memory, what does not fit there is written as sorted
 * runs, and in the end all is merged into SSTs that are ingested. So an entry is written once, or
 * twice when it was in a run, and never to the log.
 *
 * <p>Memory is divided among memtables: the active one, full ones, and those that threads of the
 * load write as runs. A run is begun while there is still memory for as many memtables as there are
 * threads, so that adding goes on meanwhile. Used by one thread at a time.
 */
public final class BulkLoad implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BulkLoad.class);

  private final Background background;
  private final Ingest ingest;
  private final DatabaseHandle database;
  private final LoadMerge merge;
  private final LoadRuns runs;
  private final LoadMemory memory;
  private final int threads;
  private final int memtables;
  private final ExecutorService executor;

  /** Sorted, and in memory alone; the oldest first. */
  private final Deque<Memtable> full = new ArrayDeque<>();

  /** Runs that are being written. */
  private final Deque<CompletableFuture<Void>> writing = new ArrayDeque<>();

  private boolean ended;

  public BulkLoad(
      Background background,
      Ingest ingest,
      DatabaseHandle database,
      LoadMerge merge,
      LoadRuns runs,
      LoadSettings settings) {
    this.background = background;
    this.ingest = ingest;
    this.database = database;
    this.merge = merge;
    this.runs = runs;
    this.threads = settings.threads();
    this.memtables = threads + 2;
    this.memory = new LoadMemory(settings.memoryBytes(), memtables);
    this.executor =
        Executors.newFixedThreadPool(
            threads,
            new ThreadFactoryBuilder().setNameFormat("sifr-load-%d").setDaemon(true).build());
  }

  /** Sets the value of a key, which expires if values of the database do. */
  public void put(byte[] key, byte[] value) {
    Duration expiry = database.options().expireAfter();
    if (expiry == null) {
      add(EntryKind.PUT, key, value);
    } else {
      ExpiringKind kind = database.view().get().kinds().expiring();
      EntryLimits.checkExpiringValue(value);
      add(kind, key, kind.expiring(value, expiry));
    }
  }

  /** Says that a key has no value. */
  public void delete(byte[] key) {
    add(EntryKind.DELETE, key, Bytes.EMPTY);
  }

  private void add(EntryKind kind, byte[] key, byte[] value) {
    requireNotEnded();
    LoadMemory.check(key, value);
    if (!memory.hasRoom(key, value)) {
      memory.moveTo(full);
      makeRoom();
    }
    memory.add(kind, key, value);
  }

  private void requireNotEnded() {
    if (ended) {
      throw new IllegalStateException("the bulk load was finished or closed, or has failed");
    }
  }

  /** Number of entries that were added. */
  public long entries() {
    return memory.entries();
  }

  /** Has memtables written, and waits until another one may be filled. */
  private void makeRoom() {
    try {
      while (!writing.isEmpty() && writing.element().isDone()) {
        join(writing.remove());
      }
      while (!full.isEmpty()
          && writing.size() < threads
          && full.size() + writing.size() >= memtables - threads) {
        Memtable oldest = full.remove();
        writing.add(CompletableFuture.runAsync(() -> write(oldest), executor));
      }
      while (full.size() + writing.size() >= memtables) {
        join(writing.remove());
      }
    } catch (RuntimeException | Error e) {
      ended = true;
      throw e;
    }
  }

  private void write(Memtable memtable) {
    try (Background.CallersWork work = background.enter()) {
      runs.write(memtable);
    }
  }

  private static void join(CompletableFuture<Void> task) {
    try {
      task.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof CancellationException stop) {
        throw stopped(stop);
      }
      throw Failures.unchecked(e.getCause());
    }
  }

  private static IllegalStateException stopped(CancellationException cause) {
    return new IllegalStateException(cause.getMessage(), cause);
  }

  /**
   * Merges everything into SSTs and adds them to the database.
   *
   * @param progress notified now and then of how many more entries were written
   * @return how many entries the database got
   */
  public long finish(LongConsumer progress) {
    requireNotEnded();
    ended = true;
    while (!writing.isEmpty()) {
      join(writing.remove());
    }
    memory.moveTo(full);
    if (full.isEmpty() && runs.isEmpty()) {
      return 0;
    }
    try (Background.CallersWork work = background.enter()) {
      LoadMerge.Merged merged = merge.run(runs, List.copyOf(full), executor, threads, progress);
      full.clear();
      ingest.run(Map.of(database, merged.ssts()));
      return merged.entries();
    } catch (CancellationException e) {
      throw stopped(e);
    }
  }

  /** Ends its threads and deletes its runs. */
  @Override
  public void close() {
    ended = true;
    full.clear();
    while (!writing.isEmpty()) {
      try {
        join(writing.remove());
      } catch (RuntimeException e) {
        LOG.debug("a run of a bulk load that was not finished: {}", e.getMessage());
      }
    }
    executor.shutdown();
    runs.close();
  }
}
