package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreIoException;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.background.Background;
import io.sifr.internal.background.BackgroundWork;
import io.sifr.internal.background.CleaningThreshold;
import io.sifr.internal.background.FilterBuilding;
import io.sifr.internal.background.Graveyard;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.search.BlockAccess;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.SearchCounters;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstAccess;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Databases;
import io.sifr.internal.state.Failure;
import io.sifr.internal.state.ForestShapes;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.LogFiles;
import io.sifr.internal.util.Failures;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalEnd;
import io.sifr.internal.wal.WalWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open store: the parts, wired, and their common life. What the parts do stands in them; here is
 * only who knows whom, and in which order they come and go.
 *
 * <p>Thread-safe.
 */
public final class StoreEngine implements AutoCloseable {
  /** Sequence number that stands for "whatever is newest". */
  public static final long NOW = ReadPath.NOW;

  private static final Logger LOG = LoggerFactory.getLogger(StoreEngine.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final SstAccess access;
  private final ReadEpochs epochs;
  private final StoreOptions options;
  private final StoreListener listener;
  private final DirectoryLock lock;
  private final Lifecycle lifecycle = new Lifecycle();
  private final Failure failure;
  private final CatalogStore catalog;
  private final SstFilters filters;
  private final FilterBuilding filterBuilding;
  private final Databases databases;
  private final Counters counters;
  private final Graveyard graveyard;
  private final CleaningThreshold cleaning;
  private final WritePath writePath;
  private final Searchers searchers;
  private final ReadPath readPath;
  private final Snapshots snapshots;
  private final Background background;
  private final SecureRandom uniqueIds = new SecureRandom();

  StoreEngine(
      StoreFileSystem fileSystem,
      Path directory,
      SstAccess access,
      ReadEpochs epochs,
      StoreOptions options,
      StoreListener listener,
      DirectoryLock lock,
      Failure failure,
      CatalogStore catalog,
      SstFilters filters,
      Recovery.Result recovered) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.access = access;
    this.epochs = epochs;
    this.options = options;
    this.listener = new QuietListener(listener);
    this.lock = lock;
    this.failure = failure;
    this.catalog = catalog;
    this.filters = filters;
    this.filterBuilding = new FilterBuilding(filters);
    this.counters = new Counters(catalog.catalog().totals());
    this.databases = new Databases(lifecycle, fileSystem, catalog, options, recovered.buffers());
    this.graveyard = new Graveyard(fileSystem, directory, epochs, filters);
    this.writePath =
        new WritePath(
            options,
            failure,
            counters,
            new WriterSupport(),
            this::openLog,
            recovered.lastSequence());
    this.snapshots = new Snapshots(writePath::visibleSequence);
    this.searchers = new Searchers(options.searchThreads(), epochs);
    PointSearch search = new PointSearch(access.kinds(), searchers, BlockAccess.STORE);
    this.readPath = new ReadPath(epochs, search, writePath::visibleSequence);
    this.cleaning = new CleaningThreshold(fileSystem, directory, options, this::runningMerges);
    BackgroundWork work =
        new BackgroundWork(
            fileSystem,
            directory,
            access,
            this::environment,
            catalog,
            failure,
            filters,
            snapshots,
            graveyard,
            counters,
            this.listener,
            databases::all,
            writePath::openLog,
            cleaning,
            this::dig);
    this.background =
        new Background(
            work,
            graveyard,
            writePath::bufferFlushed,
            failure,
            options,
            this.listener,
            databases::all);
  }

  /** Begins the background work; the last step of opening. */
  void start() {
    background.wake();
    filterBuilding.start(catalog.catalog());
  }

  private TaskEnvironment environment(DatabaseHandle database, int stage, Runnable breather) {
    int stages = database.view().get().forest().stageCount();
    return new TaskEnvironment(
        fileSystem,
        directory,
        access,
        database.id(),
        catalog::nextNumber,
        uniqueIds::nextLong,
        filters,
        Math.max(0, stages - stage),
        options.splitUnitBytes(),
        options.writeBufferBytes(),
        () -> {
          if (lifecycle.isClosing() || database.isDropped()) {
            throw new CancellationException("the store is closing or the database was dropped");
          }
          breather.run();
        });
  }

  private int runningMerges() {
    return background.runningMerges();
  }

  private void dig() {
    background.dig();
  }

  /**
   * Begins a log, under the write lock, when something is logged for the first time; or goes on in
   * the one that the store was closed with.
   */
  private WalWriter openLog() {
    ForestEdit.LogClosed closed = catalog.catalog().logClosed();
    WalWriter log = closed == null ? beginLog() : resumeLog(closed);
    long first = closed == null ? log.activeSegment() : catalog.catalog().firstSegment();
    try {
      // Before its first record: after a crash the manifest must say where the log begins, and no
      // longer where it ends.
      catalog.commit(List.of(new ForestEdit.LogStart(first)), changed -> {});
      fileSystem.reached(CrashPoint.LOG_STARTED);
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
    return log;
  }

  private WalWriter beginLog() {
    try {
      return new WalWriter(
          fileSystem,
          directory,
          catalog::nextNumber,
          options.logSegmentBytes(),
          options.logAccess(),
          background::execute,
          writePath.visibleSequence());
    } catch (StoreFailedException e) {
      // There is no log yet that would remember it.
      failure.note(Objects.requireNonNullElse(e.getCause(), e));
      throw e;
    }
  }

  private WalWriter resumeLog(ForestEdit.LogClosed closed) {
    return WalWriter.resume(
        fileSystem,
        directory,
        catalog::nextNumber,
        options.logSegmentBytes(),
        options.logAccess(),
        background::execute,
        writePath.visibleSequence(),
        catalog.catalog().firstSegment(),
        new WalEnd(closed.lastSegment(), closed.end()));
  }

  /** Whether it is open, for tests with a read path of their own. */
  Lifecycle lifecycle() {
    return lifecycle;
  }

  /** Those that reads are in, for tests with a read path of their own. */
  ReadEpochs epochs() {
    return epochs;
  }

  /** The directory, as a real path. */
  public Path directory() {
    return directory;
  }

  /** The settings. */
  public StoreOptions options() {
    return options;
  }

  /** The database of that name. */
  public DatabaseHandle database(String name) {
    lifecycle.checkOpen();
    return databases.get(name);
  }

  /** Makes a database. */
  public DatabaseHandle createDatabase(String name) {
    lifecycle.checkOpen();
    return databases.create(name);
  }

  /** The database of that name, made when there is none. */
  public DatabaseHandle openOrCreateDatabase(String name) {
    lifecycle.checkOpen();
    return databases.getOrCreate(name);
  }

  /** Names of all databases, sorted. */
  public List<String> databaseNames() {
    lifecycle.checkOpen();
    return databases.names();
  }

  /** Removes a database with all its data. */
  public void dropDatabase(String name) {
    lifecycle.checkOpen();
    DatabaseHandle dropped = databases.remove(name, writePath::drop);
    graveyard.bury(dropped.view().get().forest().ssts());
    fileSystem.reached(CrashPoint.DATABASE_BURIED);
    background.wake();
    background.digSoon();
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, byte[] key, byte[] value, Durability durability) {
    long start = startOfSample();
    writePath.put(database, key, value, notNull(durability));
    endOfPut(start);
  }

  /** Sets the value of a key. */
  public void put(DatabaseHandle database, ByteBuf key, ByteBuf value, Durability durability) {
    long start = startOfSample();
    writePath.put(database, key, value, notNull(durability));
    endOfPut(start);
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, byte[] key, Durability durability) {
    long start = startOfSample();
    writePath.delete(database, key, notNull(durability));
    endOfPut(start);
  }

  /** Removes a key. */
  public void delete(DatabaseHandle database, ByteBuf key, Durability durability) {
    long start = startOfSample();
    writePath.delete(database, key, notNull(durability));
    endOfPut(start);
  }

  /** Applies a batch. */
  public void write(BatchBuffer batch, Durability durability) {
    if (batch.count() > 0 && !batch.database(0).isOf(lifecycle)) {
      throw new IllegalArgumentException("the batch is for another store");
    }
    long start = startOfSample();
    writePath.write(batch, notNull(durability));
    endOfPut(start);
  }

  private static Durability notNull(@Nullable Durability durability) {
    if (durability == null) {
      throw new IllegalArgumentException("durability is null");
    }
    return durability;
  }

  /** The value of a key, or null. */
  public byte @Nullable [] get(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    long start = startOfSample();
    byte[] value = readPath.get(database, key, sequence, orUsual(scheme));
    endOfGet(start);
    return value;
  }

  /** Appends the value of a key to a buffer. */
  public boolean get(
      DatabaseHandle database,
      ByteBuf key,
      long sequence,
      @Nullable SearchScheme scheme,
      ByteBuf target) {
    long start = startOfSample();
    boolean found = readPath.get(database, key, sequence, orUsual(scheme), target);
    endOfGet(start);
    return found;
  }

  /** Shows the value of a key to a reader. */
  public boolean read(
      DatabaseHandle database,
      byte[] key,
      long sequence,
      @Nullable SearchScheme scheme,
      Consumer<ByteBuf> reader) {
    return readPath.read(database, key, sequence, orUsual(scheme), reader);
  }

  /** Whether a key has a value. */
  public boolean contains(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    long start = startOfSample();
    boolean found = readPath.contains(database, key, sequence, orUsual(scheme));
    endOfGet(start);
    return found;
  }

  /** The values of several keys at one sequence number. */
  public List<byte @Nullable []> multiGet(
      DatabaseHandle database, List<byte[]> keys, long sequence, @Nullable SearchScheme scheme) {
    return readPath.multiGet(database, keys, sequence, orUsual(scheme));
  }

  /** The value of a key, some time later. */
  public CompletableFuture<byte @Nullable []> getAsync(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    return readPath.getAsync(database, key, sequence, orUsual(scheme));
  }

  private SearchScheme orUsual(@Nullable SearchScheme scheme) {
    return scheme == null ? options.searchScheme() : scheme;
  }

  /** Nanosecond time when this call is to be measured, else 0. */
  private static long startOfSample() {
    return ThreadLocalRandom.current().nextInt(LatencySummary.SAMPLED_ONE_IN) == 0
        ? System.nanoTime()
        : 0;
  }

  private void endOfPut(long start) {
    if (start != 0) {
      counters.putTook(System.nanoTime() - start);
    }
  }

  private void endOfGet(long start) {
    if (start != 0) {
      counters.getTook(System.nanoTime() - start);
    }
  }

  /** Registers the present as a snapshot. */
  public Snapshots.Handle acquireSnapshot() {
    lifecycle.checkOpen();
    return snapshots.acquire();
  }

  /** A cursor at a sequence number, or {@link #NOW}, between bounds. */
  public CursorHandle openCursor(
      DatabaseHandle database,
      long sequence,
      byte @Nullable [] from,
      byte @Nullable [] to,
      @Nullable SearchScheme scheme) {
    RangePlan plan = RangePlan.of(access.kinds(), orUsual(scheme), searchers, epochs);
    lifecycle.checkOpen();
    database.checkNotDropped();
    Snapshots.Handle snapshot =
        sequence == NOW ? snapshots.acquire() : snapshots.acquireAt(sequence);
    return new CursorHandle(database, snapshot, epochs, plan, from, to);
  }

  /** Makes every write so far durable. */
  public void sync() {
    lifecycle.checkOpen();
    failure.check();
    writePath.sync();
  }

  /** Flushes all write buffers and waits for it. */
  public void flush() {
    lifecycle.checkOpen();
    for (DatabaseHandle database : databases.all()) {
      flush(database);
    }
  }

  private void flush(DatabaseHandle database) {
    writePath.rotateForFlush(database);
    background.wake();
    background.awaitFlushed(database);
  }

  /** Waits until nothing is due in the background. */
  public void awaitIdle() {
    lifecycle.checkOpen();
    filterBuilding.awaitDone();
    background.wake();
    background.awaitIdle();
  }

  /** Lets merges rest. */
  public void pauseMerges() {
    lifecycle.checkOpen();
    background.pause();
  }

  /** Lets merges go on. */
  public void resumeMerges() {
    lifecycle.checkOpen();
    background.resume();
  }

  /** Merges a database into one tree. */
  public void compact(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    flush(database);
    background.mergeAll(database);
  }

  /** The forest of a database. */
  public ForestShape forestShape(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    return ForestShapes.of(database.view().get().forest());
  }

  /** What the store has done and holds. */
  public StoreStatistics statistics() {
    lifecycle.checkOpen();
    List<StoreView> views =
        databases.all().stream().map(database -> database.view().get()).toList();
    List<Forest> forests = views.stream().map(StoreView::forest).toList();
    var totals = counters.totals();
    SearchCounters searches = searchers.counters();
    return new StoreStatistics(
        new StoreStatistics.Writes(
            totals.userBytes(),
            totals.walBytes(),
            totals.flushBytes(),
            totals.stallMillis(),
            counters.puts()),
        new StoreStatistics.Compactions(
            totals.mergeBytes(),
            totals.movedBytes(),
            runningMerges(),
            options.earlyCleaning() ? options.cleaningThreshold() : 0,
            options.earlyCleaning() ? cleaning.current() : 0),
        new StoreStatistics.Reads(
            searches.candidates(),
            searches.handOffs(),
            searches.uselessReads(),
            access.meter().reads(),
            access.meter().bytes(),
            counters.gets()),
        new StoreStatistics.Filters(filters.rejects(), filters.falsePositives()),
        new StoreStatistics.Memory(
            views.stream().mapToLong(StoreEngine::writeBufferBytes).sum(),
            access.cachedBytes(),
            filters.memoryBytes()),
        new StoreStatistics.Space(diskBytes(), forests.stream().mapToLong(Forest::bytes).sum()),
        contents(forests));
  }

  private static long writeBufferBytes(StoreView view) {
    return Stream.concat(Stream.of(view.active()), view.immutables().stream())
        .mapToLong(buffer -> buffer.memtable().bytesUsed())
        .sum();
  }

  private static StoreStatistics.Contents contents(List<Forest> forests) {
    return new StoreStatistics.Contents(
        forests.size(),
        forests.stream().mapToInt(Forest::stageCount).max().orElse(0),
        forests.stream().mapToInt(forest -> forest.byPriority().size()).sum(),
        forests.stream().mapToInt(forest -> forest.ssts().size()).sum(),
        (int)
            forests.stream()
                .flatMap(forest -> forest.ssts().stream())
                .filter(Sst::isUnusable)
                .count());
  }

  private long diskBytes() {
    long bytes = 0;
    for (String name : fileSystem.list(directory)) {
      Path file = directory.resolve(name);
      try {
        bytes += fileSystem.size(file);
      } catch (StoreIoException e) {
        if (fileSystem.exists(file)) {
          throw e;
        }
        // The background work has just deleted it.
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    if (!writePath.stop()) {
      return;
    }
    // Everything is closed, whatever fails before.
    Failures failures = new Failures();
    failures.collect(this::flushForClose);
    lifecycle.beginClosing();
    failures.collect(background::close);
    failures.collect(filterBuilding::close);
    lifecycle.close();
    failures.collect(graveyard::awaitReaders);
    failures.collect(searchers::close);
    failures.collect(() -> fileSystem.reached(CrashPoint.CLOSE_STOPPED));
    if (failures.isEmpty() && !failure.isNoted()) {
      failures.collect(this::commitEnd);
    }
    boolean isInOrder = failures.isEmpty() && !failure.isNoted();
    closeFiles(failures, isInOrder);
    if (isInOrder) {
      failures.collect(this::deleteLog);
    }
    failures.collect(lock::close);
    failures.throwFirst();
  }

  /**
   * Flushes what the log is not to keep: write buffers with entries that are not in the log; all of
   * them when the log would be long, or cannot be synced. When this returns, whatever was not
   * flushed is durable in the log.
   */
  private void flushForClose() {
    if (failure.isNoted()) {
      return;
    }
    boolean mayKeep = options.keptLogBytes() > 0 && isLogDurable();
    for (DatabaseHandle database : databases.all()) {
      if (mayKeep && !database.view().get().active().holdsUnlogged()) {
        background.wake();
        background.awaitFlushed(database);
      } else {
        flush(database);
      }
    }
    if (mayKeep && neededLogBytes() > options.keptLogBytes()) {
      for (DatabaseHandle database : databases.all()) {
        flush(database);
      }
    }
    fileSystem.reached(CrashPoint.CLOSE_FLUSHED);
  }

  private boolean isLogDurable() {
    try {
      writePath.sync();
      return true;
    } catch (SifrException e) {
      LOG.warn("everything is flushed because the log cannot be synced: {}", e.getMessage());
      return false;
    }
  }

  /** The oldest log segment that a write buffer needs, or {@link WriteBuffer#NO_SEGMENT}. */
  private long firstNeededSegment() {
    return databases.all().stream()
        .mapToLong(database -> database.view().get().firstSegment())
        .min()
        .orElse(WriteBuffer.NO_SEGMENT);
  }

  private long neededLogBytes() {
    long first = firstNeededSegment();
    if (first == WriteBuffer.NO_SEGMENT) {
      return 0;
    }
    WalWriter log = writePath.openLog();
    return log == null ? closedLogBytes() : log.bytesFrom(first);
  }

  /** Bytes of the log that nothing was written to since the store was opened. */
  private long closedLogBytes() {
    Catalog last = catalog.catalog();
    ForestEdit.LogClosed closed = Objects.requireNonNull(last.logClosed());
    return closed.end()
        + LogFiles.segments(fileSystem, directory).stream()
            .filter(number -> number >= last.firstSegment() && number < closed.lastSegment())
            .mapToLong(number -> fileSystem.size(FileKind.WAL.path(directory, number)))
            .sum();
  }

  /**
   * Says what the next opening needs of the log: nothing, or all from some segment up to where it
   * ends now. Writes nothing when nothing has changed since the store was opened.
   */
  private void commitEnd() {
    Catalog last = catalog.catalog();
    List<ForestEdit> edits = new ArrayList<>(editsOfLogEnd(last));
    if (writePath.visibleSequence() >= last.nextSequence()) {
      edits.add(new ForestEdit.SequencesReserved(writePath.visibleSequence() + 1));
    }
    if (!counters.totals().equals(last.totals())) {
      edits.add(new ForestEdit.TotalsReached(counters.totals()));
    }
    if (!edits.isEmpty()) {
      catalog.commit(edits, changed -> {});
    }
    fileSystem.reached(CrashPoint.CLOSE_COMMITTED);
  }

  private List<ForestEdit> editsOfLogEnd(Catalog last) {
    WalWriter log = writePath.openLog();
    ForestEdit.LogClosed closed = last.logClosed();
    long needed = firstNeededSegment();
    if (log != null && needed != WriteBuffer.NO_SEGMENT) {
      WalEnd end = log.end();
      return List.of(
          new ForestEdit.LogStart(needed), new ForestEdit.LogClosed(end.segment(), end.offset()));
    } else if (log != null) {
      return List.of(new ForestEdit.LogStart(log.activeSegment() + 1));
    } else if (closed != null && needed == WriteBuffer.NO_SEGMENT) {
      return List.of(new ForestEdit.LogStart(closed.lastSegment() + 1));
    }
    return List.of(); // there is no log, or it is as it was
  }

  private void closeFiles(Failures failures, boolean inOrder) {
    WalWriter log = writePath.openLog();
    if (log != null) {
      failures.collect(log::close);
    }
    failures.collect(catalog::close);
    for (DatabaseHandle database : databases.toClose()) {
      database.view().get().forest().ssts().forEach(sst -> sst.condemn(() -> {}));
    }
    failures.collect(graveyard::dig);
    failures.collect(access::close);
    failures.collect(() -> filters.close(inOrder));
  }

  private void deleteLog() {
    LogFiles.deleteUnneeded(fileSystem, directory, catalog.catalog());
    fileSystem.reached(CrashPoint.CLOSE_LOG_DELETED);
  }

  /** What the write path asks of the rest. */
  private final class WriterSupport implements WritePath.Flusher {
    @Override
    public void flushDue(DatabaseHandle database) {
      background.wake();
    }

    @Override
    public void checkCanFlush() {
      background.checkCanFlush();
    }

    @Override
    public void stalled(DatabaseHandle database, long nanos) {
      counters.stallNanos.add(nanos);
      StallJfrEvent event = new StallJfrEvent();
      if (event.isEnabled()) {
        event.database = database.name();
        event.nanos = nanos;
        event.commit();
      }
      listener.stalled(new StoreListener.StallEvent(database.name(), nanos));
    }

    @Override
    public @Nullable DatabaseHandle holderOfOldestSegment() {
      DatabaseHandle holder = null;
      long oldest = Long.MAX_VALUE;
      for (DatabaseHandle database : databases.all()) {
        long first = database.view().get().firstSegment();
        if (first < oldest) {
          oldest = first;
          holder = database;
        }
      }
      return holder;
    }
  }

  @Override
  public String toString() {
    return "StoreEngine[" + Objects.toString(directory) + "]";
  }
}
