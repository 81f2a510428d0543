package io.sifr.internal.engine;

import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.background.BackgroundThreads;
import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.engine.conditions.ConditionalWrites;
import io.sifr.internal.engine.conditions.CurrentValues;
import io.sifr.internal.engine.index.IndexReads;
import io.sifr.internal.engine.index.Indexes;
import io.sifr.internal.engine.load.BulkLoad;
import io.sifr.internal.engine.load.ForeignFiles;
import io.sifr.internal.engine.load.Ingest;
import io.sifr.internal.engine.load.LoadMerge;
import io.sifr.internal.engine.load.LoadRuns;
import io.sifr.internal.engine.load.LoadSettings;
import io.sifr.internal.engine.read.CursorHandle;
import io.sifr.internal.engine.read.ReadPath;
import io.sifr.internal.engine.write.AsyncWrites;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.StoreResources;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Databases;
import io.sifr.internal.state.ForestShapes;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Failures;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.WriteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An open store: its parts, how they are wired, and the order in which they start and stop.
 *
 * <p>Thread-safe.
 */
public final class StoreEngine implements AutoCloseable {
  /** Sequence number that stands for "the newest version". */
  public static final long NOW = ReadPath.NOW;

  private static final long MOST_SECONDS_BETWEEN_GIVE_BACKS = 60;

  private final Setup setup;
  private final BackgroundThreads threads;
  private final StoreResources resources;
  private final StoreOptions options;
  private final SstParts ssts;
  private final StoreState state;
  private final Lifecycle lifecycle;
  private final Databases databases;
  private final DirectoryLock lock;
  private final ObsoleteFiles obsoleteFiles;
  private final Background background;
  private final WritePath writePath;
  private final Searchers searchers;
  private final ReadPath readPath;
  private final CursorHandle.Environment ofCursors;

  /** Of cursors that name no scheme. */
  private final RangePlan usualPlan;

  private final ConditionalWrites conditionalWrites;
  private final Figures figures;
  private final Captures captures;
  private final Closing closing;
  private final Ingest ingest;
  private final DatabaseChanges databaseChanges;
  private final ChangeLog changes;
  private final ReentrantLock besideTheLog = new ReentrantLock();

  /** Null while no database has had an index since the store was opened. Written under this. */
  private volatile @Nullable Indexes indexes;

  private volatile Runnable endOfMemoryEvents = () -> {};

  /** Made with the first write of its kind. Written under this. */
  private volatile @Nullable AsyncWrites asyncWrites;

  /** Guarded by itself, as is what follows. */
  private final List<Runnable> whenClosing = new ArrayList<>();

  private boolean isToldClosing;

  /** Held while the options of a database change. */
  private final Object alterations = new Object();

  /**
   * Wires the parts, each to those before it.
   *
   * @param resources its part in what stores share; closed with it
   * @param threads for the background work
   * @param lock the directory's, released when the store is closed
   */
  StoreEngine(
      Setup setup,
      StoreResources resources,
      SstParts ssts,
      StoreState state,
      BackgroundThreads threads,
      DirectoryLock lock) {
    this.setup = setup;
    this.threads = threads;
    this.resources = resources;
    this.options = setup.options();
    this.ssts = ssts;
    this.state = state;
    this.lifecycle = state.lifecycle();
    this.databases = state.databases();
    this.lock = lock;
    this.obsoleteFiles =
        new ObsoleteFiles(setup.fileSystem(), setup.directory(), ssts.epochs(), threads);
    this.background = new Background(setup, ssts, state, obsoleteFiles, threads);
    this.writePath = new WritePath(setup, state, background);
    if (options.fastDirectory().isPresent()) {
      state.log().replaceWith(new LogReplacement(setup, state, writePath, threads)::begin);
    }
    this.searchers =
        new Searchers(threads.searches(), ssts.epochs(), ssts.access()::announcesReads);
    PointSearch search = new PointSearch(searchers, BlockAccess.STORE);
    this.readPath =
        new ReadPath(
            ssts.epochs(),
            search,
            state.writes()::visible,
            options.searchScheme(),
            state.counters().gets,
            state.counters().reads.gets());
    this.ofCursors =
        new CursorHandle.Environment(
            state.writes().snapshots(),
            ssts.epochs(),
            state.counters().reads.seeks(),
            setup.extensions().policy().dropsVisible());
    this.usualPlan = RangePlan.of(options.searchScheme(), searchers, ssts.epochs());
    this.conditionalWrites =
        new ConditionalWrites(
            writePath,
            new CurrentValues(
                ssts.epochs(), search, state.writes()::visible, options.searchScheme()),
            lifecycle);
    this.figures = new Figures(setup, ssts, state, searchers, background);
    this.captures = new Captures(setup, ssts, state, writePath, obsoleteFiles);
    this.closing = new Closing(setup, ssts, state, writePath, background);
    this.ingest = new Ingest(setup, state, writePath, background, besideTheLog);
    this.databaseChanges = new DatabaseChanges(state, writePath, besideTheLog);
    this.changes = new ChangeLog(setup, state);
    for (Forest forest : state.catalog().catalog().forests()) {
      if (!forest.options().indexes().isEmpty() && indexes == null) {
        indexes = newIndexes();
      }
    }
    databases.memory().flushBy(() -> threads.executeLater(writePath.rotation()::shrink, 0));
  }

  /**
   * Starts the background work; the last step of opening.
   *
   * @param found the SSTs that were found
   */
  void start(List<Sst> found) {
    background.wake();
    endOfMemoryEvents = MemoryRecording.start(figures, directory().toString());
    background.check(found);
    giveBackLater();
  }

  private Indexes newIndexes() {
    Indexes.Parts parts =
        new Indexes.Parts(
            setup, state, writePath, conditionalWrites, ssts.epochs(), besideTheLog, this::retire);
    return new Indexes(parts, new IndexReads(readPath, ofCursors, usualPlan));
  }

  /** The indexes; null while no database has had one since the store was opened. */
  public @Nullable Indexes indexes() {
    return indexes;
  }

  private synchronized Indexes requiredIndexes() {
    Indexes known = indexes;
    if (known == null) {
      known = newIndexes();
      indexes = known;
    }
    return known;
  }

  /** Deletes log that is too old, however little is written. */
  private void giveBackLater() {
    LogHistory history = state.catalog().catalog().history();
    long seconds = history == null ? 0 : history.retention().seconds();
    if (seconds > 0) {
      threads.executeLater(
          () -> {
            state.log().released().giveBackDue();
            giveBackLater();
          },
          1000 * Math.min(seconds, MOST_SECONDS_BETWEEN_GIVE_BACKS));
    }
  }

  /** Its state, for tests with paths of their own. */
  public StoreState state() {
    return state;
  }

  /** The epochs of reads, for tests with a read path of their own. */
  public ReadEpochs epochs() {
    return ssts.epochs();
  }

  /** The directory, as a real path. */
  public Path directory() {
    return setup.directory();
  }

  /** The settings. */
  public StoreOptions options() {
    return options;
  }

  /**
   * Checks that it is open.
   *
   * @throws IllegalStateException when it is not
   */
  public void checkOpen() {
    lifecycle.checkOpen();
  }

  /** The database of that name. */
  public DatabaseHandle database(String name) {
    lifecycle.checkOpen();
    return databases.get(name);
  }

  /** Creates a database. */
  public DatabaseHandle createDatabase(String name, DatabaseOptions options) {
    lifecycle.checkOpen();
    return options.indexes().isEmpty()
        ? databaseChanges.create(name, options)
        : requiredIndexes().create(() -> databaseChanges.create(name, options));
  }

  /** The database of that name, created if there is none. */
  public DatabaseHandle openOrCreateDatabase(String name) {
    lifecycle.checkOpen();
    return databaseChanges.getOrCreate(name);
  }

  /** The database of that name, created or changed so that it has those options. */
  public DatabaseHandle openOrCreateDatabase(String name, DatabaseOptions options) {
    while (true) {
      lifecycle.checkOpen();
      if (databases.find(name) != null) {
        alterDatabase(name, options);
        return databases.get(name);
      }
      try {
        return createDatabase(name, options);
      } catch (IllegalArgumentException e) {
        if (databases.find(name) == null) {
          throw e;
        }
        // Another thread has just created it.
      }
    }
  }

  /** Changes the options of a database. */
  public void alterDatabase(String name, DatabaseOptions options) {
    lifecycle.checkOpen();
    synchronized (alterations) {
      DatabaseHandle database = databases.get(name);
      DatabaseOptions before = database.options();
      if (before.indexes().equals(options.indexes())) {
        if (!before.equals(options)) {
          retire(databaseChanges.alter(name, options, () -> {}));
        }
      } else {
        before.requireCanBecome(options);
        setup.extensions().require(name, options);
        requiredIndexes().change(database, then -> databaseChanges.alter(name, options, then));
      }
    }
  }

  /** Names of all databases, sorted. */
  public List<String> databaseNames() {
    lifecycle.checkOpen();
    return databases.names();
  }

  /** Removes a database with all its data. */
  public void dropDatabase(String name) {
    checkWritable();
    List<DatabaseHandle> dropped;
    synchronized (alterations) {
      try {
        dropped = databaseChanges.remove(name);
      } catch (RuntimeException | Error e) {
        background.wake(); // if it stays: its flushes were held up
        throw e;
      }
    }
    Indexes known = indexes;
    if (known != null && dropped.size() > 1) {
      known.dropped();
    }
    retire(dropped);
  }

  /** Deletes what is left of databases that were dropped. */
  private void retire(List<DatabaseHandle> dropped) {
    if (dropped.isEmpty()) {
      return;
    }
    try {
      for (DatabaseHandle each : dropped) {
        writePath.gate().free(each);
        obsoleteFiles.retire(each.view().get().forest().ssts());
        obsoleteFiles.letGo(each.view().get().active().valueFiles());
        for (WriteBuffer waiting : each.view().get().immutables()) {
          obsoleteFiles.letGo(waiting.valueFiles());
        }
        state.databases().values().endAll(each.id());
      }
      setup.fileSystem().reached(StoreCrashPoint.DATABASE_RETIRED);
    } finally {
      background.wake();
    }
    obsoleteFiles.reclaimSoon();
  }

  /**
   * Checks that it is open and may be written to.
   *
   * @throws IllegalStateException when it is closed
   * @throws io.sifr.error.ReadOnlyStoreException when it was opened to be read only
   * @throws io.sifr.error.StoreFailedException when it has failed
   */
  public void checkWritable() {
    lifecycle.checkOpen();
    state.failure().check();
  }

  /**
   * Checks that it is open and may be copied, as it may be when it is read only.
   *
   * @throws IllegalStateException when it is closed
   * @throws io.sifr.error.StoreFailedException when it has failed
   */
  public void checkMayBeCopied() {
    lifecycle.checkOpen();
    if (!state.failure().isReadOnly()) {
      state.failure().check();
    }
  }

  /**
   * Checks that a database belongs to the store.
   *
   * @throws IllegalArgumentException when it is one of another store
   */
  public void checkIsOwn(DatabaseHandle database) {
    if (!database.isOf(lifecycle)) {
      throw new IllegalArgumentException("database " + database + " is of another store");
    }
  }

  /** Its writes. */
  public WritePath writes() {
    return writePath;
  }

  /** Its writes that nobody waits for until they are durable. */
  public AsyncWrites asyncWrites() {
    AsyncWrites made = asyncWrites;
    return made == null ? makeAsyncWrites() : made;
  }

  private synchronized AsyncWrites makeAsyncWrites() {
    AsyncWrites made = asyncWrites;
    if (made == null) {
      made = new AsyncWrites(writePath, threads.syncers());
      asyncWrites = made;
    }
    return made;
  }

  /** Its writes that depend on what it holds. */
  public ConditionalWrites conditionalWrites() {
    return conditionalWrites;
  }

  /** Its point queries. */
  public ReadPath reads() {
    return readPath;
  }

  /** Registers a snapshot of the present. */
  public Snapshots.Handle acquireSnapshot() {
    lifecycle.checkOpen();
    return state.writes().snapshots().acquire();
  }

  /** The last sequence number that was used. */
  public long lastSequence() {
    lifecycle.checkOpen();
    return state.writes().visible();
  }

  /** The log of its changes. */
  public ChangeLog changes() {
    return changes;
  }

  /** A cursor at a sequence number, or {@link #NOW}, between bounds. */
  public CursorHandle openCursor(
      DatabaseHandle database,
      long sequence,
      byte @Nullable [] from,
      byte @Nullable [] to,
      @Nullable SearchScheme scheme) {
    RangePlan plan = scheme == null ? usualPlan : RangePlan.of(scheme, searchers, ssts.epochs());
    lifecycle.checkOpen();
    database.checkNotDropped();
    return new CursorHandle(database, ofCursors, sequence, plan, from, to);
  }

  /** Makes every write so far durable. */
  public void sync() {
    checkWritable();
    writePath.sync();
  }

  /** Flushes all write buffers and waits for it. */
  public void flush() {
    lifecycle.checkOpen();
    writePath.rotation().flush(databases.all());
  }

  /** The file system it is in. */
  public StoreFileSystem fileSystem() {
    return setup.fileSystem();
  }

  /** Takes hold of the store as it is now, to copy it. */
  public Capture capture() {
    return captures.take();
  }

  /** Waits until nothing is due in the background. */
  public void awaitIdle() {
    lifecycle.checkOpen();
    background.wake();
    background.awaitIdle();
  }

  /** Pauses compactions and the check of SSTs. */
  public void pauseCompactions() {
    lifecycle.checkOpen();
    background.pause();
  }

  /** Resumes both. */
  public void resumeCompactions() {
    lifecycle.checkOpen();
    background.resume();
  }

  /** Compacts a database into one tree. */
  public void compact(DatabaseHandle database) {
    flush(database);
    background.compact(database);
  }

  /** Compacts what a database holds from a key, inclusive, to another, exclusive. */
  public void compact(DatabaseHandle database, byte @Nullable [] from, byte @Nullable [] to) {
    flush(database);
    boolean isEmpty =
        to != null && Arrays.compareUnsigned(from == null ? Bytes.EMPTY : from, to) >= 0;
    if (!isEmpty) {
      background.compact(database, KeySpan.between(from, to));
    }
  }

  private void flush(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    writePath.rotation().flush(List.of(database));
  }

  /**
   * Adds files of sorted entries to databases, all or none of them.
   *
   * @param files for each database those it gets, in any order
   * @param ingestOptions what becomes of the files, and whether they are verified
   */
  public void ingest(Map<DatabaseHandle, List<Path>> files, IngestOptions ingestOptions) {
    checkWritable();
    files.keySet().forEach(DatabaseHandle::checkNotDropped);
    ForeignFiles foreign = new ForeignFiles(setup, ssts.access(), state, ingestOptions);
    try (Background.CallersWork work = background.enter()) {
      Map<DatabaseHandle, List<SstMeta>> brought = foreign.bring(files);
      if (!brought.isEmpty()) {
        ingest.run(brought);
        foreign.added();
      }
    }
  }

  /** Begins to load entries into a database in bulk. */
  public BulkLoad load(DatabaseHandle database, LoadSettings settings) {
    checkWritable();
    database.checkNotDropped();
    LoadRuns runs =
        LoadRuns.in(
            settings.temporaryDirectory(),
            background,
            database,
            state.counters(),
            state.log(),
            setup.fileSystem());
    LoadMerge merge = new LoadMerge(setup, state, background, database);
    return new BulkLoad(background, ingest, database, merge, runs, settings);
  }

  /** The forest of a database. */
  public ForestShape forestShape(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    return ForestShapes.of(
        database.view().get().forest(),
        sst -> setup.fileSystem().placeOfSst(setup.directory(), sst));
  }

  /** The statistics of the store. */
  public StoreStatistics statistics() {
    lifecycle.checkOpen();
    return figures.now();
  }

  /** Has an action run when the store is closed, before everything else. */
  public void whenClosing(Runnable action) {
    synchronized (whenClosing) {
      lifecycle.checkOpen();
      if (isToldClosing) {
        throw Lifecycle.closedException();
      }
      whenClosing.add(action);
    }
  }

  private List<Runnable> tellClosing() {
    synchronized (whenClosing) {
      isToldClosing = true;
      return List.copyOf(whenClosing);
    }
  }

  @Override
  public void close() {
    if (!writePath.gate().close()) {
      return;
    }
    // Everything is closed, even if something failed before.
    Failures failures = new Failures();
    Failures ofOthers = new Failures();
    tellClosing().forEach(ofOthers::collect);
    Indexes known = indexes;
    if (known != null) {
      failures.collect(known::close);
    }
    failures.collect(endOfMemoryEvents);
    failures.collect(closing::flush);
    AsyncWrites inFlight = asyncWrites;
    if (inFlight != null) {
      failures.collect(inFlight::close);
    }
    lifecycle.beginClosing();
    failures.collect(captures::awaitEnd);
    failures.collect(background::close);
    lifecycle.close();
    failures.collect(obsoleteFiles::awaitReaders);
    failures.collect(() -> setup.fileSystem().reached(StoreCrashPoint.CLOSE_STOPPED));
    if (failures.isEmpty() && !state.failure().isNoted()) {
      failures.collect(closing::commitEnd);
    }
    boolean isInOrder = failures.isEmpty() && !state.failure().isNoted();
    closing.closeFiles(obsoleteFiles, failures, isInOrder);
    if (isInOrder) {
      failures.collect(state.log()::deleteUnneeded);
    }
    failures.collect(resources::close);
    failures.collect(lock::close);
    failures.collect(ofOthers::throwFirst);
    failures.throwFirst();
  }

  @Override
  public String toString() {
    return "StoreEngine[" + setup.directory() + "]";
  }
}
