package io.sifr.internal.engine.load;

import io.sifr.error.SifrException;
import io.sifr.internal.compaction.merge.LoadTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.StoreLog;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorted runs of a bulk load on disk, each an SST: in the directory of the store, where the next
 * opening deletes what a crash leaves, or in a new directory within one that the caller names.
 * Thread-safe.
 */
public final class LoadRuns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadRuns.class);

  private final Background background;
  private final DatabaseHandle database;
  private final Counters counters;
  private final StoreLog log;
  private final StoreFileSystem fileSystem;

  /** Null when runs are in the directory of the store. */
  private final @Nullable Elsewhere elsewhere;

  /** Guarded by this. */
  private final List<SstMeta> runs = new ArrayList<>();

  private LoadRuns(
      Background background,
      DatabaseHandle database,
      Counters counters,
      StoreLog log,
      StoreFileSystem fileSystem,
      @Nullable Elsewhere elsewhere) {
    this.background = background;
    this.database = database;
    this.counters = counters;
    this.log = log;
    this.fileSystem = fileSystem;
    this.elsewhere = elsewhere;
  }

  /** A directory of its own, and access to the SSTs in it. */
  private record Elsewhere(Path directory, SstAccess access, AtomicLong numbers) {}

  /**
   * Prepares runs.
   *
   * @param within where a directory is created; null: in the store
   */
  public static LoadRuns in(
      @Nullable Path within,
      Background background,
      DatabaseHandle database,
      Counters counters,
      StoreLog log,
      StoreFileSystem fileSystem) {
    if (within == null) {
      return new LoadRuns(background, database, counters, log, fileSystem, null);
    }
    String name = "sifr-load-" + Long.toHexString(new SecureRandom().nextLong());
    Path directory = within.toAbsolutePath().resolve(name);
    fileSystem.createDirectories(directory);
    BlockCodecs codecs = background.environment(database, 1).files().access().codecs();
    SstAccess access = SstAccess.mapped(fileSystem, directory, codecs);
    return new LoadRuns(
        background,
        database,
        counters,
        log,
        fileSystem,
        new Elsewhere(directory, access, new AtomicLong()));
  }

  private TaskEnvironment environment() {
    TaskEnvironment store = background.environment(database, 1);
    Elsewhere other = elsewhere;
    return new TaskEnvironment(
        new TaskEnvironment.Files(
            fileSystem,
            other == null ? store.files().directory() : other.directory(),
            other == null ? store.files().access() : other.access(),
            other == null ? store.files().numbers() : other.numbers()::incrementAndGet,
            store.files().uniqueIds()),
        new TaskEnvironment.Output(
            0, store.output().codec(), 0, store.output().sizes(), store.output().guards(), 0),
        store.entries(),
        store.progress());
  }

  /** Writes a memtable as a run, which is closed. Within {@link Background#enter}. */
  void write(Memtable memtable) {
    try (EntryIterator entries = memtable.iterator()) {
      Sst run =
          log.withSpace(
              memtable.bytesUsed(),
              () -> LoadTask.ofRun(environment()).run(entries, null, null).get(0));
      run.markObsolete(() -> {});
      counters.flushBytes.add(run.meta().fileBytes());
      synchronized (this) {
        runs.add(run.meta());
      }
    }
  }

  /**
   * Opens all runs. Within {@link Background#enter}, which lasts until each is {@linkplain
   * Sst#markObsolete released}.
   */
  List<Sst> open() {
    SstAccess through = environment().files().access();
    List<Sst> opened = new ArrayList<>();
    try {
      for (SstMeta run : all()) {
        Sst sst = new Sst(run);
        sst.open(through);
        opened.add(sst);
      }
      return opened;
    } catch (RuntimeException | Error e) {
      opened.forEach(sst -> sst.markObsolete(() -> {}));
      throw e;
    }
  }

  private synchronized List<SstMeta> all() {
    return List.copyOf(runs);
  }

  /** Whether nothing was written. */
  boolean isEmpty() {
    return all().isEmpty();
  }

  long bytes() {
    return all().stream().mapToLong(SstMeta::fileBytes).sum();
  }

  /** Deletes everything. No run is being written or open. */
  @Override
  public void close() {
    Path files = environment().files().directory();
    all()
        .forEach(
            run -> {
              var unused = Sst.delete(fileSystem, files, run.number());
            });
    synchronized (this) {
      runs.clear();
    }
    Elsewhere other = elsewhere;
    if (other != null) {
      other.access().close();
      try {
        fileSystem.delete(other.directory());
      } catch (SifrException e) {
        LOG.warn("{} is not needed any more and cannot be deleted", other.directory(), e);
      }
    }
  }
}
