package io.sifr;

import static com.google.common.base.Preconditions.checkState;

import com.google.common.base.Throwables;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.error.SifrException;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.backup.Checkpoint;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.changes.ChangeLog;
import io.sifr.internal.engine.changes.ChangeReader;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.KeyedFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.io.memory.MemoryFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.offline.Removal;
import io.sifr.internal.readonly.ReadOnlyEngine;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.transaction.Attempts;
import io.sifr.internal.transaction.TransactionHandle;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.EncryptionKeys;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.MergeOperator;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An ordered key-value store in one directory. It holds named databases, each an ordered map of its
 * own, which share the log, the background work and the durability of batches; the database {@value
 * #DEFAULT_DATABASE} always exists.
 *
 * <p>A directory can be opened only once at a time, by one process. All methods are safe for any
 * number of threads; a thread may be interrupted at any moment without harm to the store. After
 * {@link #close} every call throws {@link IllegalStateException}, except {@code close} itself and
 * those that need no open store: {@link #directory()}, {@link #options()} and {@link #database()}.
 *
 * <p>What can go wrong: a {@link io.sifr.error.StoreFullException} when the disk is full (reads go
 * on, deletes are accepted as long as the log has space, other writes again once there is more), a
 * {@link io.sifr.error.StoreIoException} when a new segment of the log cannot be created, or when
 * flushes have failed repeatedly for 1.5 seconds and there is no room left in memory (both are
 * retried, and writes are accepted once that succeeds), a {@link
 * io.sifr.error.StoreFailedException} for writes after the log or the manifest failed (reads go on
 * until the store is closed), a {@link io.sifr.error.CorruptionException} when a file is damaged
 * and an {@link io.sifr.error.UnreadableException} when it cannot be read (other keys stay
 * readable).
 */
public final class Store implements AutoCloseable {
  /** Name of the database that every store has. */
  public static final String DEFAULT_DATABASE = "default";

  private final StoreEngine engine;
  private final Database defaultDatabase;

  /** Null when it may be written to. */
  private final @Nullable ReadOnlyEngine readOnly;

  private Store(ReadOnlyEngine readOnly) {
    this(readOnly.engine(), readOnly);
  }

  private Store(StoreEngine engine, @Nullable ReadOnlyEngine readOnly) {
    this.engine = engine;
    this.readOnly = readOnly;
    this.defaultDatabase = new Database(engine, engine.database(DEFAULT_DATABASE));
  }

  /**
   * Opens the store in a directory with the default settings; creates it if there is none.
   *
   * @param directory the store's directory; its parent directories are created too
   * @throws io.sifr.error.StoreLockedException when it is open already
   * @throws io.sifr.error.CorruptionException when the manifest or the log is damaged; for SSTs see
   *     {@link StoreOptions.Builder#openIfDamaged}
   * @throws io.sifr.error.UnsupportedFormatException when a newer version of Sifr wrote it
   * @throws io.sifr.error.ForeignDirectoryException when LevelDB or RocksDB wrote it
   * @throws io.sifr.error.StoreIoException when the platform fails, for instance for lack of
   *     permissions
   */
  public static Store open(Path directory) {
    return builder(directory).open();
  }

  /**
   * Opens the store in a directory.
   *
   * @param directory the store's directory
   * @param options settings
   * @throws IllegalArgumentException when there is no store and {@link
   *     StoreOptions#createIfMissing} is false
   * @see #open(Path)
   */
  public static Store open(Path directory, StoreOptions options) {
    return builder(directory).options(options).open();
  }

  /**
   * Whether there is a store in a directory, whatever its state is; false when there is no such
   * directory, or it is a file.
   *
   * @throws io.sifr.error.CorruptionException when the directory has files of a store, but not the
   *     one that names its manifest
   * @throws io.sifr.error.ForeignDirectoryException when it is a directory of LevelDB or RocksDB
   * @throws io.sifr.error.StoreIoException when it cannot be read
   */
  public static boolean exists(Path directory) {
    StoreFileSystem disk = new DiskFileSystem();
    return disk.isDirectory(Arguments.path("directory", directory))
        && Manifest.exists(disk, directory);
  }

  /**
   * Deletes a store, or what is left of one: its files, and the directory if there is nothing else
   * in it. If there is nothing of a store, nothing happens. If the process is killed meanwhile, the
   * rest cannot be opened, and can be deleted by another call. A directory that a symbolic link
   * names stays, empty, as does the link.
   *
   * @throws io.sifr.error.ForeignDirectoryException when it is the directory of another product, as
   *     far as its file CURRENT shows; nothing is deleted
   * @throws io.sifr.error.StoreLockedException when it is open
   * @throws io.sifr.error.StoreIoException when a file cannot be deleted
   */
  public static void destroy(Path directory) {
    Removal.remove(new DiskFileSystem(), Arguments.path("directory", directory));
  }

  /** Prepares to open the store in a directory with settings and a listener. */
  public static Builder builder(Path directory) {
    return new Builder(directory);
  }

  /**
   * Prepares to open a store that has all its files on the heap of this JVM, and none on a disk:
   * for tests of programs that use a store. It is a store like any other, with all settings and
   * methods.
   *
   * <p>The files belong to the builder. A store that it opens after the last one was closed has its
   * content; two builders have nothing in common. While a store is open the builder can open no
   * other one, except {@link Builder#openReadOnly read only}. When neither the builder nor a store
   * of it is used any more, the memory is free.
   *
   * <p>Nothing outlasts the process, whatever its {@link Durability}. {@link #directory()} is a
   * path that leads nowhere, with "in-memory" in its name; what expects the directory of a store,
   * such as {@link #open(Path)}, {@link #exists} and {@link io.sifr.inspect}, finds none there.
   * Files that callers name are on the disk, as always: {@link #checkpoint} and {@link Backups}
   * copy the store to it, {@link #ingest} copies files from it, also if they are to be linked or
   * moved, and {@link StoreOptions#fastDirectory} and {@link StoreOptions#coldDirectory} are
   * written to.
   *
   * <p>The files take about as much memory as they would take space, a mapping none in addition.
   * They may take half of the largest heap that the JVM can have; a store that needs more, or finds
   * no memory for a file, behaves as on a full disk: it throws a {@link
   * io.sifr.error.StoreFullException}, and accepts writes again when there is room.
   */
  public static Builder inMemory() {
    MemoryFileSystem files = new MemoryFileSystem(new DiskFileSystem());
    return new Builder(files.directory()).fileSystem(files);
  }

  /**
   * The directory, as a real path; also after {@link #close}. That of a store {@link #inMemory}
   * does not exist.
   */
  public Path directory() {
    return engine.directory();
  }

  /** The settings it was opened with; also after {@link #close}. */
  public StoreOptions options() {
    return engine.options();
  }

  /** The database {@value #DEFAULT_DATABASE}; also after {@link #close}, when it cannot be used. */
  public Database database() {
    return defaultDatabase;
  }

  /**
   * The database of that name.
   *
   * @throws IllegalArgumentException when there is none; the message lists those there are
   */
  public Database database(String name) {
    return new Database(engine, engine.database(name));
  }

  /**
   * Creates a database, with options. Both are durable when the call returns.
   *
   * @param name 1 to 255 characters, none of them a control character or an unpaired surrogate
   * @throws IllegalArgumentException when the name is not allowed or taken, or the merge operator
   *     is not registered
   */
  public Database createDatabase(String name, DatabaseOptions options) {
    return new Database(engine, engine.createDatabase(name, Arguments.notNull("options", options)));
  }

  /**
   * The database of that name, created if there is none.
   *
   * @throws IllegalArgumentException when the name is not allowed
   */
  public Database openOrCreateDatabase(String name) {
    return new Database(engine, engine.openOrCreateDatabase(name));
  }

  /**
   * The database of that name with those options: created if there is none, changed as by {@link
   * #alterDatabase} if it has others.
   *
   * @throws IllegalArgumentException when the name is not allowed, the merge operator is not
   *     registered, or the options cannot become these
   */
  public Database openOrCreateDatabase(String name, DatabaseOptions options) {
    return new Database(
        engine, engine.openOrCreateDatabase(name, Arguments.notNull("options", options)));
  }

  /**
   * Changes the options of a database, the database {@value #DEFAULT_DATABASE} included. The change
   * is durable and in force when the call returns. To change only some, begin with {@link
   * Database#options}, {@link DatabaseOptions#toBuilder}.
   *
   * @throws IllegalArgumentException when there is no such database, its merge operator would
   *     change, or the new one is not registered
   */
  public void alterDatabase(String name, DatabaseOptions options) {
    engine.alterDatabase(name, Arguments.notNull("options", options));
  }

  /** Names of all databases, sorted. */
  public List<String> databaseNames() {
    return engine.databaseNames();
  }

  /**
   * Removes a database with all its data, at once and durably. Its {@link Database} objects and
   * cursors throw {@link IllegalStateException} from then on.
   *
   * @throws IllegalArgumentException when there is none, or when it is {@value #DEFAULT_DATABASE}
   */
  public void dropDatabase(String name) {
    engine.dropDatabase(name);
  }

  /** Applies a batch, see {@link #write(WriteBatch, WriteOptions)}. */
  public void write(WriteBatch batch) {
    write(batch, WriteOptions.DEFAULT);
  }

  /**
   * Applies all operations of a batch in their order: readers, and a recovery after a crash, see
   * all of them or none. The batch is not changed and may be written again. Without operations it
   * is no write; with {@link WriteOptions#SYNC} it makes durable what was written before, as {@link
   * #sync} does.
   *
   * @throws IllegalStateException when a database of the batch was dropped, or a snapshot that a
   *     condition names is closed
   * @throws io.sifr.error.ConflictException when a condition of the batch does not hold; nothing
   *     was written
   * @throws io.sifr.error.StallTimeoutException when it would be held back for longer than the
   *     options allow; nothing of it is written then
   */
  public void write(WriteBatch batch, WriteOptions options) {
    apply(Arguments.notNull("batch", batch), Arguments.withoutExpiry(options));
  }

  private void apply(WriteBatch batch, WriteOptions options) {
    if (batch.conditions().isEmpty()) {
      engine.writes().write(batch.operations(), options);
    } else {
      engine.conditionalWrites().write(batch.operations(), batch.conditions(), options);
    }
  }

  /**
   * Applies a batch as {@link #write(WriteBatch, WriteOptions)} does, but does not wait until it is
   * durable: readers see it when the call returns, and the future is completed when it is as
   * durable as the options say. All is as with {@link Database#putAsync}; a {@link
   * io.sifr.error.ConflictException} completes the future, too. The batch may be changed, and
   * written again, when the call has returned.
   */
  public CompletableFuture<Void> writeAsync(WriteBatch batch, WriteOptions options) {
    WriteBatch given = Arguments.notNull("batch", batch);
    return engine.asyncWrites().write(Arguments.withoutExpiry(options), how -> apply(given, how));
  }

  /**
   * Adds files of an {@link SstFileWriter} to databases, as one write: readers, and a recovery
   * after a crash, see all of it or nothing. What a file says of a key counts more than what was
   * written to the database before the call, and less than what is written after it. It is durable
   * when the call returns, and not in the log.
   *
   * <p>It costs one read of the files if they are verified, and a name for each if they can be
   * linked. Before, what the write buffers of the databases hold is flushed. Writes to these
   * databases wait for the end of the ingest, which is a second flush, of what was written during
   * the first one, and a sync of the manifest; all others go on. Compactions rewrite the entries
   * later only as far as they overlap others.
   *
   * <p>If a file is refused, all are, and nothing is left of them in the store.
   *
   * @param files for each database those it gets, in any order; no key may be in the ranges of two
   *     files of a database
   * @throws IllegalArgumentException when a database belongs to another store, when files of a
   *     database overlap, or when a file was not written by an {@link SstFileWriter}
   * @throws IllegalStateException when a database was dropped
   * @throws io.sifr.error.CorruptionException when a file is damaged; it names the file
   * @throws io.sifr.error.StoreIoException when a file is missing or cannot be read, among others
   */
  public void ingest(Map<Database, List<Path>> files, IngestOptions options) {
    Map<DatabaseHandle, List<Path>> byHandle = new LinkedHashMap<>();
    Arguments.notNull("files", files)
        .forEach(
            (database, ofDatabase) -> {
              DatabaseHandle handle = Arguments.notNull("database", database).handle();
              engine.checkIsOwn(handle);
              byHandle
                  .computeIfAbsent(handle, any -> new ArrayList<>())
                  .addAll(Arguments.paths(ofDatabase));
            });
    engine.ingest(byHandle, Arguments.notNull("options", options));
  }

  /**
   * A view of all databases as they are now. Reads through it see no later write. It keeps old
   * versions on disk until it is closed.
   */
  public Snapshot snapshot() {
    return new Snapshot(engine, engine.acquireSnapshot());
  }

  /**
   * The sequence number of the last change: each operation of each write has one, and so does an
   * ingest, or two if its files delete ranges, and, while the log is retained, each change of a
   * database. A store that was opened from a {@link #checkpoint} begins with the number of the last
   * change that the checkpoint contains.
   */
  public long lastSequence() {
    return engine.lastSequence();
  }

  /**
   * The first sequence number from which on all {@link #changes} are there now; one more than
   * {@link #lastSequence} when none are. It becomes larger as log is deleted, which may happen
   * between this call and the next one: then {@link #changes} throws a {@link
   * io.sifr.error.ChangesGoneException} all the same, and this number is to be read again. Only as
   * much log as {@link StoreOptions.Builder#retainedLogBytes} says is kept in between.
   */
  public long oldestChange() {
    engine.checkOpen();
    return ChangeReader.oldest(changeLog());
  }

  /**
   * Reads the changes of the store from a sequence number on, those that are yet to come included.
   * They are read from the log, of which more is there if {@link
   * StoreOptions.Builder#retainedLogBytes} is set; without, only what is not flushed.
   *
   * <p>Of a store that is {@link Builder#openReadOnly read only} there are those up to its moment;
   * whoever wants later ones goes on, with the next number, in one that was {@link #refreshed}.
   * They may be undone by a power loss of the machine, since they need not be durable yet.
   *
   * @param fromSequence the sequence number of the first change that is wanted; if it is in the
   *     middle of a batch, all of the batch is returned
   * @throws IllegalArgumentException when the number is less than 1, or more than {@link
   *     #lastSequence} plus 1
   * @throws io.sifr.error.ChangesGoneException when that change is not there any more
   * @see Changes
   */
  public Changes changes(long fromSequence) {
    return new Changes(new ChangeReader(changeLog(), fromSequence));
  }

  private ChangeLog changeLog() {
    return readOnly == null ? engine.changes() : readOnly.changes();
  }

  /** Begins a transaction, isolated by {@link io.sifr.config.Isolation#SNAPSHOT}. */
  public Transaction beginTransaction() {
    return beginTransaction(TransactionOptions.DEFAULT);
  }

  /** Begins a transaction. It sees all databases as they are now; close it. */
  public Transaction beginTransaction(TransactionOptions options) {
    Durability durability = Arguments.notNull("options", options).durability();
    return new Transaction(
        new TransactionHandle(engine, options.isolation()),
        durability == null ? WriteOptions.DEFAULT : WriteOptions.of(durability));
  }

  /** As {@link #inTransaction(TransactionOptions, Function)}, with the default options. */
  @CanIgnoreReturnValue
  public <T extends @Nullable Object> T inTransaction(
      Function<? super Transaction, ? extends T> work) {
    return inTransaction(TransactionOptions.DEFAULT, work);
  }

  /**
   * Does something in a transaction, and commits it; after a conflict all over again in a new one,
   * as often as the options allow, with short pauses of random length in between. So the work may
   * be done several times, and should have no effects but those of the transaction. If it throws
   * anything else or closes the transaction itself, nothing is committed.
   *
   * @return what the work has returned that was committed; null, for example, if there is nothing
   * @throws io.sifr.error.ConflictException when the last attempt had a conflict, too
   */
  @CanIgnoreReturnValue
  public <T extends @Nullable Object> T inTransaction(
      TransactionOptions options, Function<? super Transaction, ? extends T> work) {
    Function<? super Transaction, ? extends T> done = Arguments.notNull("work", work);
    Attempts attempts = new Attempts(Arguments.notNull("options", options).attempts());
    while (true) {
      try (Transaction transaction = beginTransaction(options)) {
        T result = done.apply(transaction);
        if (transaction.isOpen()) {
          transaction.commit();
        }
        return result;
      } catch (ConflictException e) {
        attempts.failed(e);
      }
    }
  }

  /**
   * Makes every write that has returned so far durable, as if it had been made with {@link
   * Durability#SYNC}.
   */
  public void sync() {
    engine.sync();
  }

  /** Writes all write buffers to disk as trees of stage 1, and waits for it. */
  public void flush() {
    engine.flush();
  }

  /**
   * Makes a copy of the store in another directory, while reads, writes and background work go on.
   * The copy is a store of its own, to be opened, moved or deleted like any other. It contains all
   * databases, with every write that had returned before the call and none that began after its
   * return, of whatever {@link Durability}; of the writes in between it contains those up to some
   * moment, batches as a whole. It is durable when the call returns.
   *
   * <p>Its SSTs are hard links to those of this store, which share their space until one of the two
   * has no use for them any more; SSTs are never changed. Where links cannot be made, on another
   * volume for instance, they are copied and verified. Of the log the part that is not flushed is
   * copied. So on the same volume it takes milliseconds, however large the store is. Write buffers
   * with writes of {@link Durability#NONE} are flushed first, and until that is done all writes are
   * logged.
   *
   * <p>Of a store that is {@link Builder#openReadOnly read only} the copy has what that shows,
   * while another process has the store open and knows nothing of it: neither what was written
   * later, nor writes of {@link Durability#NONE} that were not flushed. SSTs that have been deleted
   * meanwhile are copied.
   *
   * <p>When the call fails, nothing is left of the copy. A process that is killed may leave a part
   * of it, which cannot be opened, and which the next checkpoint into the same directory replaces.
   *
   * @param directory the directory of the copy: new, empty, or that of a copy that was not finished
   * @throws IllegalArgumentException when there is anything else in the directory, or when it is
   *     inside the directory of this store
   * @throws io.sifr.error.StoreFullException when there is no space for it
   * @throws io.sifr.error.SifrException when the copy cannot be made, or this store accepts no
   *     writes after a failure
   */
  public void checkpoint(Path directory) {
    Checkpoint.take(engine, Arguments.path("directory", directory));
  }

  /** Its engine, for copies of the store. */
  StoreEngine engine() {
    return engine;
  }

  /**
   * Waits until all flushes and compactions that are due are done. Concurrent writes may make new
   * ones due.
   */
  public void awaitIdle() {
    engine.awaitIdle();
  }

  /**
   * Pauses running compactions, and begins none, until {@link #resumeCompactions} or {@link
   * #close}. Writes, reads and flushes go on; but trees accumulate in stage 1, and writers are
   * slowed when there are many. {@link Database#compact} waits, {@link #awaitIdle} does not. The
   * check of SSTs in the background is paused as well. Returns at once: a running compaction pauses
   * within milliseconds. A store that is opened again is not paused.
   */
  public void pauseCompactions() {
    engine.pauseCompactions();
  }

  /** Resumes what {@link #pauseCompactions} has paused; otherwise does nothing. */
  public void resumeCompactions() {
    engine.resumeCompactions();
  }

  /** What the store has done, and what it holds. */
  public StoreStatistics statistics() {
    return engine.statistics();
  }

  /**
   * Has an action run when the store is closed: first of all, by the thread that closes it, while
   * {@link #statistics} and reads still work and writes no longer do. For what watches the store
   * and must not outlive it. It is kept until then. What it throws, {@link #close} throws when
   * everything is closed.
   */
  public void whenClosing(Runnable action) {
    engine.whenClosing(Arguments.notNull("action", action));
  }

  /**
   * Closes the store: makes everything written durable, waits for running compactions to stop at a
   * safe point, and unlocks the directory. A few writes stay in the log for the next open, see
   * {@link StoreOptions.Builder#keptLogBytes}; everything else is flushed, unless the disk is full:
   * then all that was logged stays in the log. Calls in progress in other threads end first or
   * throw {@link IllegalStateException}. It can be called more than once. No acknowledged write is
   * lost when it throws, or when it is never called.
   *
   * @throws io.sifr.error.SifrException when the last flush failed; the store is closed
   *     nevertheless, and the log keeps what was not flushed
   */
  @Override
  public void close() {
    if (readOnly == null) {
      engine.close();
    } else {
      readOnly.close();
    }
  }

  /**
   * The same store as it is now, read only; this one, which must be read only as well, stays as it
   * is. Files that both need are mapped once. Each of them has to be closed, in any order.
   *
   * @throws IllegalStateException when this store is closed, or is not read only
   * @see Builder#openReadOnly
   */
  public Store refreshed() {
    ReadOnlyEngine opened = readOnly;
    checkState(opened != null, "%s was not opened to be read only", this);
    engine.checkOpen();
    return new Store(opened.refreshed());
  }

  /** Whether it was opened by {@link Builder#openReadOnly}. */
  public boolean isReadOnly() {
    return readOnly != null;
  }

  @Override
  public String toString() {
    return "Store[" + engine.directory() + "]";
  }

  /** Settings and a listener for a store to be opened. Not thread-safe. */
  public static final class Builder {
    private final Path directory;
    private StoreOptions options = StoreOptions.DEFAULT;
    private StoreListener listener = StoreListener.NONE;
    private StoreFileSystem fileSystem = new DiskFileSystem();
    private final List<MergeOperator> operators = new ArrayList<>();
    private final List<CompactionFilter> filters = new ArrayList<>();
    private final List<IndexExtractor> extractors = new ArrayList<>();
    private boolean extensionsMayBeMissing;
    private @Nullable InstantSource clock;
    private @Nullable EncryptionKeys keys;
    private @Nullable Extensions extensions;
    private @Nullable Resources resources;

    private Builder(Path directory) {
      this.directory = Arguments.path("directory", directory);
    }

    /** Sets the settings. */
    @CanIgnoreReturnValue
    public Builder options(StoreOptions options) {
      this.options = Arguments.notNull("options", options);
      return this;
    }

    /** Sets the listener that is notified of flushes, compactions, stalls and failures. */
    @CanIgnoreReturnValue
    public Builder listener(StoreListener listener) {
      this.listener = Arguments.notNull("listener", listener);
      return this;
    }

    /**
     * Registers a merge operator, so that databases can have it. Those of {@link
     * io.sifr.spi.MergeOperators} are always registered.
     */
    @CanIgnoreReturnValue
    public Builder mergeOperator(MergeOperator operator) {
      operators.add(Arguments.notNull("operator", operator));
      return this;
    }

    /** Registers a compaction filter, so that databases can have it. */
    @CanIgnoreReturnValue
    public Builder compactionFilter(CompactionFilter filter) {
      filters.add(Arguments.notNull("filter", filter));
      return this;
    }

    /** Registers an index extractor, so that databases can have indexes with it. */
    @CanIgnoreReturnValue
    public Builder indexExtractor(IndexExtractor extractor) {
      extractors.add(Arguments.notNull("extractor", extractor));
      return this;
    }

    /**
     * Sets the clock by which values expire, {@link
     * io.sifr.config.WriteOptions.Builder#expireAfter}, and trees get old, {@link
     * io.sifr.config.CompactionPolicy#fifo(long, java.time.Duration)}; by default that of the
     * system. Reads look at it only where they meet such values. If it steps back, values that had
     * expired are there again, except those that background work has dropped meanwhile.
     */
    @CanIgnoreReturnValue
    public Builder clock(InstantSource clock) {
      this.clock = Arguments.notNull("clock", clock);
      return this;
    }

    /**
     * Opens the store even if a database has a merge operator, a compaction filter or an index
     * extractor that is not registered: for tools that do not know those of the program whose store
     * it is. Everything is possible but to read keys with operands and to merge, which throws
     * {@link io.sifr.error.MergeOperatorException}, and to put into a database with such an index
     * and to read that, which throws {@link io.sifr.error.IndexExtractorException}. Flushes and
     * compactions keep such operands, and compactions keep all entries.
     */
    @CanIgnoreReturnValue
    public Builder allowUnregistered() {
      extensionsMayBeMissing = true;
      return this;
    }

    /**
     * Encrypts the files of the store: AES-GCM with 256 bits, by the JDK. Keys, values and names of
     * databases are in no file then; sizes, numbers and times of files are seen by everybody. A
     * store that is not encrypted may be opened with keys: its files are encrypted as they are
     * rewritten. See {@code src-docs/guide/encryption.md}.
     *
     * @param keys asked whenever a file is begun or opened
     */
    @CanIgnoreReturnValue
    public Builder encryption(EncryptionKeys keys) {
      this.keys = Arguments.notNull("keys", keys);
      return this;
    }

    private StoreFileSystem files() {
      return keys == null ? fileSystem : new KeyedFileSystem(fileSystem, FileKeys.of(keys));
    }

    /**
     * Sets what the store shares with others; without, it has resources of its own. The settings of
     * what is shared, see {@link Resources}, must not be set in the store's options then.
     */
    @CanIgnoreReturnValue
    public Builder resources(Resources resources) {
      this.resources = Arguments.notNull("resources", resources);
      return this;
    }

    /** Sets the file system; for tests, with failing disks for instance. */
    @CanIgnoreReturnValue
    Builder fileSystem(StoreFileSystem fileSystem) {
      this.fileSystem = fileSystem;
      return this;
    }

    /** Sets extensions that options cannot choose; for tests. */
    @CanIgnoreReturnValue
    Builder extensions(Extensions extensions) {
      this.extensions = extensions;
      return this;
    }

    private Extensions extended(Extensions others) {
      Extensions changed = clock == null ? others : others.with(clock);
      boolean areThoseOfEveryStore =
          operators.isEmpty()
              && filters.isEmpty()
              && extractors.isEmpty()
              && !extensionsMayBeMissing;
      return areThoseOfEveryStore
          ? changed
          : changed.with(
              new Extensions.Operators(operators, extensionsMayBeMissing)
                  .with(filters)
                  .withExtractors(extractors));
    }

    /**
     * Opens the store to be read only, also while it is open elsewhere, in this process or another
     * one, and if the directory may not be written to. Nothing in it is created, changed, deleted
     * or locked, and whoever writes to it does not notice.
     *
     * <p>The store has the content of one moment: of all writes up to one, batches as a whole, as
     * an opening would find them if the writer were killed then. It contains everything that had
     * returned before the call, except writes with {@link Durability#NONE} that were not flushed;
     * and it may contain what a power loss would still undo. Later writes are not seen: {@link
     * Store#refreshed} gives a store that has them. Everything that writes throws a {@link
     * io.sifr.error.ReadOnlyStoreException}, and nothing is compacted or checked in the background.
     * What is seen can be copied, by {@link Store#checkpoint} and {@link Backups#create}. {@link
     * Store#changes} has those that were not flushed, and those that are retained.
     *
     * <p>All SSTs are mapped until the store is closed, whatever {@link StoreOptions#readMode}
     * says, so their space is freed only then; what is only in the log is read into memory.
     * Settings that are about writes have no effect.
     *
     * @throws IllegalArgumentException when there is no store; and when {@link #open} throws it
     * @throws SifrException as {@link #open}; and when the writer changes the files so often that
     *     none of its moments can be seen
     */
    public Store openReadOnly() {
      ReadOnlyEngine opened =
          ReadOnlyEngine.open(
              files(),
              directory,
              new ReadOnlyEngine.How(
                  extended(extensions == null ? Extensions.of(options) : extensions),
                  options,
                  listener,
                  resources == null ? null : resources.sharedWith(options)));
      try {
        return new Store(opened);
      } catch (RuntimeException | Error e) {
        opened.close();
        throw e;
      }
    }

    /**
     * Opens the store.
     *
     * @throws IllegalStateException when the {@link #resources} are closed
     * @throws IllegalArgumentException when there are resources, and the options set a setting of
     *     what is shared; when a database has a merge operator, a compaction filter or an index
     *     extractor that is not registered, which the message names; or when two of them have one
     *     name
     * @see Store#open(Path, StoreOptions)
     */
    public Store open() {
      try {
        StoreEngine engine =
            Opening.open(
                extended(extensions == null ? Extensions.of(options) : extensions),
                files(),
                directory,
                options,
                listener,
                resources == null ? null : resources.sharedWith(options));
        try {
          return new Store(engine, null);
        } catch (RuntimeException | Error e) {
          engine.close();
          throw e;
        }
      } catch (LinkageError e) {
        // Its own message is often only the name of a class.
        throw new SifrException(
            "cannot open "
                + directory
                + ", since a class of Sifr or of a library cannot be loaded: "
                + Throwables.getRootCause(e),
            e);
      }
    }
  }
}
