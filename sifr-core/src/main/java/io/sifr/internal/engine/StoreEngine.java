package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.config.Durability;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.background.Background;
import io.sifr.internal.background.BackgroundThreads;
import io.sifr.internal.background.FilterBuilding;
import io.sifr.internal.background.ObsoleteFiles;
import io.sifr.internal.background.Reclaiming;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.search.BlockAccess;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Databases;
import io.sifr.internal.state.ForestShapes;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.SstParts;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.Failures;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open store: its parts, how they are wired, and the order in which they start and stop.
 *
 * <p>Thread-safe.
 */
public final class StoreEngine implements AutoCloseable {
  /** Sequence number that stands for "the newest version". */
  public static final long NOW = ReadPath.NOW;

  private final Setup setup;
  private final StoreOptions options;
  private final SstParts ssts;
  private final StoreState state;
  private final Lifecycle lifecycle;
  private final Databases databases;
  private final DirectoryLock lock;
  private final FilterBuilding filterBuilding;
  private final ObsoleteFiles obsoleteFiles;
  private final Reclaiming reclaiming;
  private final Background background;
  private final WritePath writePath;
  private final Searchers searchers;
  private final ReadPath readPath;
  private final Figures figures;
  private final Closing closing;

  /**
   * Wires the parts, each to those before it.
   *
   * @param threads for the background work
   * @param lock the directory's, released when the store is closed
   */
  StoreEngine(
      Setup setup, SstParts ssts, StoreState state, BackgroundThreads threads, DirectoryLock lock) {
    this.setup = setup;
    this.options = setup.options();
    this.ssts = ssts;
    this.state = state;
    this.lifecycle = state.lifecycle();
    this.databases = state.databases();
    this.lock = lock;
    this.filterBuilding = new FilterBuilding(ssts.filters(), setup.extensions().policy());
    this.obsoleteFiles =
        new ObsoleteFiles(setup.fileSystem(), setup.directory(), ssts.epochs(), ssts.filters());
    this.reclaiming = new Reclaiming(obsoleteFiles, threads);
    this.background = new Background(setup, ssts, state, reclaiming, threads);
    this.writePath = new WritePath(setup, state, background);
    this.searchers = new Searchers(options.searchThreads(), ssts.epochs());
    PointSearch search = new PointSearch(ssts.access().kinds(), searchers, BlockAccess.STORE);
    this.readPath = new ReadPath(ssts.epochs(), search, state.writes()::visible);
    this.figures = new Figures(setup, ssts, state, searchers, background);
    this.closing = new Closing(setup, ssts, state, writePath, background);
  }

  /** Starts the background work; the last step of opening. */
  void start() {
    background.wake();
    filterBuilding.start(state.catalog().catalog());
  }

  /** Its state, for tests with paths of their own. */
  StoreState state() {
    return state;
  }

  /** The epochs of reads, for tests with a read path of their own. */
  ReadEpochs epochs() {
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

  /** The database of that name. */
  public DatabaseHandle database(String name) {
    lifecycle.checkOpen();
    return databases.get(name);
  }

  /** Creates a database. */
  public DatabaseHandle createDatabase(String name) {
    lifecycle.checkOpen();
    return databases.create(name);
  }

  /** The database of that name, created if there is none. */
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
    reclaiming.retire(dropped.view().get().forest().ssts());
    setup.fileSystem().reached(StoreCrashPoint.DATABASE_RETIRED);
    background.wake();
    reclaiming.reclaimSoon();
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
    if (batch.databaseCount() > 0 && !batch.database(0).isOf(lifecycle)) {
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

  /** Passes the value of a key to a reader without a copy. */
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

  /** The value of a key, asynchronously. */
  public CompletableFuture<byte @Nullable []> getAsync(
      DatabaseHandle database, byte[] key, long sequence, @Nullable SearchScheme scheme) {
    return readPath.getAsync(database, key, sequence, orUsual(scheme));
  }

  private SearchScheme orUsual(@Nullable SearchScheme scheme) {
    return scheme == null ? options.searchScheme() : scheme;
  }

  /** Nanosecond time if this call is to be measured, else 0. */
  private static long startOfSample() {
    return ThreadLocalRandom.current().nextInt(LatencySummary.SAMPLED_ONE_IN) == 0
        ? System.nanoTime()
        : 0;
  }

  private void endOfPut(long start) {
    if (start != 0) {
      state.counters().putTook(System.nanoTime() - start);
    }
  }

  private void endOfGet(long start) {
    if (start != 0) {
      state.counters().getTook(System.nanoTime() - start);
    }
  }

  /** Registers a snapshot of the present. */
  public Snapshots.Handle acquireSnapshot() {
    lifecycle.checkOpen();
    return state.writes().snapshots().acquire();
  }

  /** A cursor at a sequence number, or {@link #NOW}, between bounds. */
  public CursorHandle openCursor(
      DatabaseHandle database,
      long sequence,
      byte @Nullable [] from,
      byte @Nullable [] to,
      @Nullable SearchScheme scheme) {
    RangePlan plan = RangePlan.of(ssts.access().kinds(), orUsual(scheme), searchers, ssts.epochs());
    lifecycle.checkOpen();
    database.checkNotDropped();
    Snapshots snapshots = state.writes().snapshots();
    Snapshots.Handle snapshot =
        sequence == NOW ? snapshots.acquire() : snapshots.acquireAt(sequence);
    return new CursorHandle(database, snapshot, ssts.epochs(), plan, from, to);
  }

  /** Makes every write so far durable. */
  public void sync() {
    lifecycle.checkOpen();
    state.failure().check();
    state.log().sync();
  }

  /** Flushes all write buffers and waits for it. */
  public void flush() {
    lifecycle.checkOpen();
    for (DatabaseHandle database : databases.all()) {
      writePath.flush(database);
    }
  }

  /** Waits until nothing is due in the background. */
  public void awaitIdle() {
    lifecycle.checkOpen();
    filterBuilding.awaitDone();
    background.wake();
    background.awaitIdle();
  }

  /** Pauses compactions. */
  public void pauseMerges() {
    lifecycle.checkOpen();
    background.pause();
  }

  /** Resumes compactions. */
  public void resumeMerges() {
    lifecycle.checkOpen();
    background.resume();
  }

  /** Compacts a database into one tree. */
  public void compact(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    writePath.flush(database);
    background.compact(database);
  }

  /** The forest of a database. */
  public ForestShape forestShape(DatabaseHandle database) {
    lifecycle.checkOpen();
    database.checkNotDropped();
    return ForestShapes.of(database.view().get().forest());
  }

  /** The statistics of the store. */
  public StoreStatistics statistics() {
    lifecycle.checkOpen();
    return figures.now();
  }

  @Override
  public void close() {
    if (!writePath.stop()) {
      return;
    }
    // Everything is closed, even if something failed before.
    Failures failures = new Failures();
    failures.collect(closing::flush);
    lifecycle.beginClosing();
    failures.collect(background::close);
    failures.collect(filterBuilding::close);
    lifecycle.close();
    failures.collect(obsoleteFiles::awaitReaders);
    failures.collect(searchers::close);
    failures.collect(() -> setup.fileSystem().reached(StoreCrashPoint.CLOSE_STOPPED));
    if (failures.isEmpty() && !state.failure().isNoted()) {
      failures.collect(closing::commitEnd);
    }
    boolean isInOrder = failures.isEmpty() && !state.failure().isNoted();
    closing.closeFiles(obsoleteFiles, failures, isInOrder);
    if (isInOrder) {
      failures.collect(state.log()::deleteUnneeded);
    }
    failures.collect(lock::close);
    failures.throwFirst();
  }

  @Override
  public String toString() {
    return "StoreEngine[" + setup.directory() + "]";
  }
}
