package io.sifr.internal.engine.index;

import io.sifr.config.IndexOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.engine.conditions.ConditionalWrites;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.engine.write.IndexEntries;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of a store. There is one of these only if a database has an index.
 *
 * <p>Thread-safe.
 */
public final class Indexes {
  private static final int CLEANED_AT_ONCE = 128;

  /**
   * The parts of a store that it uses.
   *
   * @param oneByOne held while something takes a place in the order of writes without being one
   * @param retire deletes what is left of databases that were dropped
   */
  public record Parts(
      Setup setup,
      StoreState state,
      WritePath writes,
      ConditionalWrites conditional,
      ReadEpochs epochs,
      ReentrantLock oneByOne,
      Consumer<List<DatabaseHandle>> retire) {}

  private final Parts parts;
  private final IndexReads reads;
  private final IndexWork work = new IndexWork();
  private final StaleEntries stale;
  private final UniqueCheck.Parts unique;

  /** Held during a step of a build. Guards what follows. */
  private final ReentrantLock building = new ReentrantLock();

  /** How many ingests into a database are in progress. */
  private final Map<DatabaseHandle, Integer> ingests = new HashMap<>();

  /** Held while another one takes its place. Nobody who holds it waits for writes. */
  private final Object publishing = new Object();

  private volatile IndexedWrites current;

  public Indexes(Parts parts, IndexReads reads) {
    this.parts = parts;
    this.reads = reads;
    this.stale = new StaleEntries(parts.state, parts.writes, parts.conditional, reads, work);
    this.unique = new UniqueCheck.Parts(parts.epochs, parts.state.writes()::visible, reads, stale);
    this.current = writesOf(Map.of());
  }

  /**
   * Finds the indexes of an opened store.
   *
   * @param mayWrite whether they are built, if they are not yet
   */
  public void open(boolean mayWrite) {
    publish();
    if (mayWrite) {
      buildAll();
    }
  }

  /** Has writes and reads use the indexes that are declared now. */
  private void publish() {
    synchronized (publishing) {
      Map<DatabaseHandle, List<OpenIndex>> found = new HashMap<>();
      parts
          .state
          .databases()
          .indexes()
          .forEach(
              (database, indexes) -> {
                List<OpenIndex> ofDatabase = new ArrayList<>();
                indexes.forEach(
                    (options, entries) -> ofDatabase.add(known(database, options, entries)));
                found.put(database, List.copyOf(ofDatabase));
              });
      IndexedWrites changed = writesOf(found);
      current = changed;
      parts.writes.useIndexes(changed);
    }
  }

  private IndexedWrites writesOf(Map<DatabaseHandle, List<OpenIndex>> found) {
    return new IndexedWrites(parts.writes, unique, this::beginIngest, found);
  }

  private OpenIndex known(DatabaseHandle database, IndexOptions options, DatabaseHandle entries) {
    for (OpenIndex index : current.of(database)) {
      if (index.entries() == entries) {
        return index;
      }
    }
    OpenIndex index =
        new OpenIndex(options, database, entries, parts.setup.extensions().extractorOf(options));
    buildOf(index).open();
    return index;
  }

  private IndexBuild buildOf(OpenIndex index) {
    return new IndexBuild(parts.state, parts.writes, reads, unique, work, index);
  }

  /** Creates a database with indexes. */
  public DatabaseHandle create(Supplier<DatabaseHandle> change) {
    DatabaseHandle created;
    parts.oneByOne.lock();
    try {
      created = change.get();
      publish();
    } finally {
      parts.oneByOne.unlock();
    }
    // There is nothing to be indexed, so nobody has to wait for it.
    current.of(created).forEach(index -> step(buildOf(index)));
    buildAll();
    return created;
  }

  /** A change of what indexes there are. */
  public interface Change {
    /**
     * Makes it.
     *
     * @param then called when it is in force
     * @return databases that were dropped
     */
    List<DatabaseHandle> make(Runnable then);
  }

  /**
   * Changes the indexes of a database. Writes to it wait: none may be between an index and the
   * moment at which it is there or gone.
   */
  public void change(DatabaseHandle database, Change change) {
    List<DatabaseHandle> dropped;
    parts.oneByOne.lock();
    try {
      parts.writes.gate().hold(List.of(database));
      try {
        StaleEntries.secure(database, parts.writes); // nothing before it may be lost after it
        dropped = change.make(this::publish);
      } finally {
        parts.writes.gate().release(0);
      }
    } finally {
      parts.oneByOne.unlock();
    }
    parts.retire.accept(dropped);
    buildAll();
  }

  /** Databases were dropped. */
  public void dropped() {
    publish();
  }

  /** Empties an index, and begins to build it again. */
  public void rebuild(OpenIndex index) {
    empty(index.database(), List.of(index.options()));
  }

  private void empty(DatabaseHandle database, List<IndexOptions> indexes) {
    change(
        database,
        then -> {
          List<DatabaseHandle> dropped =
              parts.state.databases().emptyIndexes(database, indexes, parts.writes.gate()::drop);
          then.run();
          return dropped;
        });
  }

  private IndexEntries.Ingesting beginIngest(Collection<DatabaseHandle> databases) {
    List<DatabaseHandle> indexed = databases.stream().filter(current::areOf).toList();
    count(indexed, 1);
    try {
      indexed.forEach(database -> empty(database, database.options().indexes()));
    } catch (RuntimeException | Error e) {
      count(indexed, -1);
      throw e;
    }
    return () -> {
      count(indexed, -1);
      buildAll();
    };
  }

  /** Waits for the end of a step that is being made. */
  private void count(Collection<DatabaseHandle> databases, int change) {
    building.lock();
    try {
      for (DatabaseHandle database : databases) {
        if (ingests.merge(database, change, Integer::sum) == 0) {
          ingests.remove(database);
        }
      }
    } finally {
      building.unlock();
    }
  }

  private void buildAll() {
    for (List<OpenIndex> ofDatabase : current.all().values()) {
      for (OpenIndex index : ofDatabase) {
        if (!index.isBuilt() && index.failure() == null) {
          work.add(() -> build(index));
        }
      }
    }
  }

  private void build(OpenIndex index) {
    if (step(buildOf(index)) && !work.isStopped()) {
      work.add(() -> build(index));
    }
  }

  /** Returns whether there is more to be done. */
  private boolean step(IndexBuild build) {
    building.lock();
    try {
      return !ingests.containsKey(build.index().database()) && build.goOn();
    } catch (IllegalStateException e) {
      return false; // the store is closed, or the database dropped
    } finally {
      building.unlock();
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** The indexes of a database. */
  public List<OpenIndex> of(DatabaseHandle database) {
    return current.of(database);
  }

  /**
   * A cursor over an index at a sequence number.
   *
   * @param sequence a registered one; {@link Long#MAX_VALUE}: the newest
   * @param from the first index key; null: the first of all
   * @param to the index key after the last one; null: there is none
   */
  public IndexCursorHandle cursor(
      OpenIndex index, long sequence, byte @Nullable [] from, byte @Nullable [] to) {
    Snapshots.Handle now = sequence == Long.MAX_VALUE ? reads.snapshot() : null;
    try {
      long at = now == null ? sequence : now.sequence();
      index.checkReadable(at);
      EntryCursor entries =
          reads.cursor(index.entries(), at, IndexCursorHandle.from(from), IndexCursorHandle.to(to));
      return new IndexCursorHandle(index, entries, new AtSequence(index, at, now));
    } catch (RuntimeException | Error e) {
      if (now != null) {
        now.close();
      }
      if (e instanceof IllegalStateException dropped) {
        throw index.told(dropped);
      }
      throw e;
    }
  }

  /** Reads at a sequence number. */
  private final class AtSequence implements IndexCursorHandle.Source {
    private final OpenIndex index;
    private final long sequence;
    private final Snapshots.@Nullable Handle held;

    AtSequence(OpenIndex index, long sequence, Snapshots.@Nullable Handle held) {
      this.index = index;
      this.sequence = sequence;
      this.held = held;
    }

    @Override
    public byte @Nullable [] value(byte[] key) {
      return reads.value(index.database(), key, sequence);
    }

    @Override
    public void isStale(byte[] entry) {
      stale.add(index, entry);
    }

    @Override
    public void close() {
      if (held != null) {
        held.close();
      }
    }
  }

  /** Deletes all entries of an index that do not count; returns how many. */
  public long clean(OpenIndex index) {
    long deleted = 0;
    byte[] from = IndexEntryKey.first();
    while (from != null) {
      List<byte[]> some = new ArrayList<>();
      try (Snapshots.Handle now = reads.snapshot();
          EntryCursor cursor = reads.cursor(index.entries(), now.sequence(), from, null)) {
        from = null;
        while (cursor.next()) {
          if (some.size() == CLEANED_AT_ONCE) {
            from = cursor.key();
            break;
          }
          some.add(cursor.key());
        }
      }
      deleted += stale.clean(index, some);
    }
    return deleted;
  }

  /**
   * Waits until an index is built, or cannot be; when it is emptied meanwhile, until it is built
   * again.
   *
   * @param nanos for how long at most
   * @return whether it is built
   */
  public boolean awaitBuilt(OpenIndex which, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    OpenIndex index = newest(which);
    synchronized (this) {
      for (; !index.isBuilt() && index.failure() == null; index = newest(which)) {
        parts.state.lifecycle().checkOpen();
        var unused = index.known();
        if (index.database().isDropped()) {
          return false;
        }
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        wait(Math.min(100, left / 1_000_000 + 1));
      }
    }
    SifrException reason = index.failure();
    if (reason != null) {
      index.checkReadable(0);
    }
    return index.isBuilt();
  }

  /** The one that has its place by now. */
  private OpenIndex newest(OpenIndex index) {
    return current.of(index.database()).stream()
        .filter(other -> other.options().name().equals(index.options().name()))
        .findAny()
        .orElse(index);
  }

  /** Ends what it does; writes have ended before. */
  public void close() {
    work.stop();
  }
}
