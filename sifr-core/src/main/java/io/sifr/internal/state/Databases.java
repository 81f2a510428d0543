package io.sifr.internal.state;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IndexOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.value.OpenValueFiles;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The named databases of a store. Creating and dropping one is durable when the call returns.
 * Thread-safe.
 */
public final class Databases {
  /** Name of the database that every store has. */
  public static final String DEFAULT_NAME = "default";

  /** Number of that database. */
  static final int DEFAULT_ID = 1;

  /** In place of a sequence number: the change is not recorded as an event. */
  public static final long UNRECORDED = 0;

  private final Lifecycle store;
  private final Setup setup;
  private final CatalogStore catalog;
  private final MemtableMemory memory;
  private final OpenValueFiles values;
  private final Map<String, DatabaseHandle> byName = new ConcurrentSkipListMap<>();
  private final Queue<DatabaseHandle> halfDropped = new ConcurrentLinkedQueue<>();

  /**
   * @param memory which the write buffers share
   * @param values the value files that puts write
   * @param buffers by database id, the write buffers that were read from the log, newest first
   */
  public Databases(
      Lifecycle store,
      Setup setup,
      CatalogStore catalog,
      MemtableMemory memory,
      OpenValueFiles values,
      Map<Integer, List<WriteBuffer>> buffers) {
    this.store = store;
    this.setup = setup;
    this.catalog = catalog;
    this.memory = memory;
    this.values = values;
    for (Forest forest : catalog.catalog().forests()) {
      List<WriteBuffer> found = buffers.getOrDefault(forest.databaseId(), List.of());
      if (found.isEmpty()) {
        add(forest, newBuffer(0), List.of());
      } else {
        add(forest, found.get(0), found.subList(1, found.size()));
      }
    }
  }

  /** The value files that puts write. */
  public OpenValueFiles values() {
    return values;
  }

  /** The memory that the write buffers of all databases share. */
  public MemtableMemory memory() {
    return memory;
  }

  /** A write buffer of the usual size, or with at least that much room. */
  public WriteBuffer newBuffer(long needed) {
    long capacity = Math.max(setup.options().writeBufferBytes(), needed);
    return new WriteBuffer(new Memtable(capacity, memory));
  }

  private DatabaseHandle add(Forest forest, WriteBuffer active, List<WriteBuffer> immutables) {
    EntryKinds kinds = setup.extensions().kindsIn(forest);
    StoreView.Holder view = new StoreView.Holder(new StoreView(active, immutables, forest, kinds));
    DatabaseHandle handle = new DatabaseHandle(store, forest.databaseId(), forest.name(), view);
    byName.put(forest.name(), handle);
    return handle;
  }

  public Collection<DatabaseHandle> all() {
    return byName.values();
  }

  /** Names of all databases but those that hold indexes, sorted. */
  public List<String> names() {
    return byName.keySet().stream().filter(name -> !IndexName.isOne(name)).toList();
  }

  /** All databases that have indexes, with the databases of their entries, as they are together. */
  public synchronized Map<DatabaseHandle, Map<IndexOptions, DatabaseHandle>> indexes() {
    Map<DatabaseHandle, Map<IndexOptions, DatabaseHandle>> all = new LinkedHashMap<>();
    for (DatabaseHandle database : byName.values()) {
      Map<IndexOptions, DatabaseHandle> indexes = new LinkedHashMap<>();
      for (IndexOptions index : database.options().indexes()) {
        indexes.put(index, entriesOf(database, index.name()));
      }
      if (!indexes.isEmpty()) {
        all.put(database, indexes);
      }
    }
    return all;
  }

  private DatabaseHandle entriesOf(DatabaseHandle database, String index) {
    DatabaseHandle entries = byName.get(IndexName.of(database.name(), index));
    if (entries == null) {
      throw new IllegalStateException("there is no index " + index + " of " + database);
    }
    return entries;
  }

  /** The databases with the entries of some indexes. */
  private List<DatabaseHandle> entriesOf(DatabaseHandle database, List<IndexOptions> indexes) {
    return indexes.stream().map(index -> entriesOf(database, index.name())).toList();
  }

  /** The edits that create the databases of indexes; their ids begin with that one. */
  private static List<ForestEdit> editsOf(String database, List<IndexOptions> indexes, int id) {
    List<ForestEdit> edits = new ArrayList<>();
    for (IndexOptions index : indexes) {
      String name = IndexName.of(database, index.name());
      edits.add(new ForestEdit.DatabaseCreated(id + edits.size(), name));
    }
    return edits;
  }

  private void addIndexes(Catalog changed, int count, int id) {
    for (int i = 0; i < count; i++) {
      var unused = add(changed.forest(id + i).orElseThrow(), newBuffer(0), List.of());
    }
  }

  public DatabaseHandle get(String name) {
    checkName(name);
    DatabaseHandle handle = byName.get(name);
    if (handle == null) {
      throw new IllegalArgumentException(
          "there is no database \"" + name + "\"; there are " + names());
    }
    return handle;
  }

  /** The database of that name, null if there is none. */
  public @Nullable DatabaseHandle find(String name) {
    checkName(name);
    return byName.get(name);
  }

  /**
   * Creates a database.
   *
   * @param sequence the sequence number of its event, {@link #UNRECORDED} for none
   */
  public synchronized DatabaseHandle create(String name, DatabaseOptions options, long sequence) {
    checkName(name);
    setup.extensions().require(name, options);
    checkArgument(!byName.containsKey(name), "there is a database \"%s\" already", name);
    setup.fileSystem().reached(StateCrashPoint.DATABASE_CREATE_BEGUN);
    int id = catalog.catalog().nextDatabaseId();
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.DatabaseCreated(id, name));
    if (!options.equals(DatabaseOptions.DEFAULT)) {
      edits.add(new ForestEdit.DatabaseOptionsSet(id, options));
    }
    if (sequence != UNRECORDED) {
      edits.add(new ForestEdit.EventRecorded(new LogEvent.Created(sequence, id, name, options)));
    }
    edits.addAll(editsOf(name, options.indexes(), id + 1));
    catalog.commit(edits);
    setup.fileSystem().reached(StateCrashPoint.DATABASE_CREATED);
    Catalog changed = catalog.catalog();
    addIndexes(changed, options.indexes().size(), id + 1);
    return add(changed.forest(id).orElseThrow(), newBuffer(0), List.of());
  }

  /**
   * The database of that name, created if there is none.
   *
   * @param sequence as for a creation
   */
  public synchronized DatabaseHandle getOrCreate(String name, long sequence) {
    checkName(name);
    DatabaseHandle handle = byName.get(name);
    return handle == null ? create(name, DatabaseOptions.DEFAULT, sequence) : handle;
  }

  /**
   * Changes the options of a database. Indexes that it has no more are dropped, new ones are empty.
   *
   * @param sequence as for a creation
   * @param stopWrites as for a removal, for indexes that are dropped
   * @return the databases of these
   */
  @CanIgnoreReturnValue
  public synchronized List<DatabaseHandle> alter(
      String name, DatabaseOptions options, long sequence, Consumer<DatabaseHandle> stopWrites) {
    DatabaseHandle handle = get(name);
    DatabaseOptions before = handle.options();
    if (options.equals(before)) {
      return List.of();
    }
    before.requireCanBecome(options);
    if (!Objects.equals(options.mergeOperator(), before.mergeOperator())
        || !Objects.equals(options.compactionFilter(), before.compactionFilter())
        || !options.indexes().equals(before.indexes())) {
      setup.extensions().require(name, options);
    }
    int id = handle.id();
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.DatabaseOptionsSet(id, options));
    if (sequence != UNRECORDED) {
      edits.add(new ForestEdit.EventRecorded(new LogEvent.Altered(sequence, id, name, options)));
    }
    return replaceIndexes(
        handle,
        without(before.indexes(), options.indexes()),
        without(options.indexes(), before.indexes()),
        edits,
        stopWrites);
  }

  private static List<IndexOptions> without(List<IndexOptions> some, List<IndexOptions> others) {
    return some.stream().filter(index -> !others.contains(index)).toList();
  }

  /**
   * Empties indexes of a database: each gets another one in the place of that with its entries.
   *
   * @param stopWrites as for a removal
   * @return those with the entries that there were
   */
  public synchronized List<DatabaseHandle> emptyIndexes(
      DatabaseHandle database, List<IndexOptions> indexes, Consumer<DatabaseHandle> stopWrites) {
    database.checkNotDropped();
    return replaceIndexes(database, indexes, indexes, new ArrayList<>(), stopWrites);
  }

  private List<DatabaseHandle> replaceIndexes(
      DatabaseHandle database,
      List<IndexOptions> old,
      List<IndexOptions> fresh,
      List<ForestEdit> edits,
      Consumer<DatabaseHandle> stopWrites) {
    List<DatabaseHandle> dropped = entriesOf(database, old);
    dropped.forEach(stopWrites);
    int id = catalog.catalog().nextDatabaseId();
    dropped.forEach(each -> edits.add(new ForestEdit.DatabaseDropped(each.id())));
    edits.addAll(editsOf(database.name(), fresh, id));
    commitDropping(
        dropped,
        edits,
        changed -> {
          Forest forest = changed.forest(database.id()).orElseThrow();
          EntryKinds kinds = setup.extensions().kindsIn(forest);
          database.view().update(view -> view.withOptions(forest, kinds));
        });
    dropped.forEach(each -> byName.remove(each.name()));
    addIndexes(catalog.catalog(), fresh.size(), id);
    return dropped;
  }

  /**
   * Removes a database, and its indexes.
   *
   * @param sequence as for a creation
   * @param stopWrites called before anything else: no write to the database may be in progress
   *     afterwards
   * @return all that were removed
   */
  public synchronized List<DatabaseHandle> remove(
      String name, long sequence, Consumer<DatabaseHandle> stopWrites) {
    DatabaseHandle handle = get(name);
    checkArgument(!name.equals(DEFAULT_NAME), "the database \"%s\" cannot be dropped", name);
    List<DatabaseHandle> dropped = new ArrayList<>();
    dropped.add(handle);
    dropped.addAll(entriesOf(handle, handle.options().indexes()));
    dropped.forEach(stopWrites);
    setup.fileSystem().reached(StateCrashPoint.DATABASE_DROP_BEGUN);
    List<ForestEdit> edits = new ArrayList<>();
    dropped.forEach(each -> edits.add(new ForestEdit.DatabaseDropped(each.id())));
    if (sequence != UNRECORDED) {
      edits.add(new ForestEdit.EventRecorded(new LogEvent.Dropped(sequence, handle.id(), name)));
    }
    commitDropping(dropped, edits, changed -> {});
    setup.fileSystem().reached(StateCrashPoint.DATABASE_DROPPED);
    dropped.forEach(each -> byName.remove(each.name()));
    return dropped;
  }

  private void commitDropping(
      List<DatabaseHandle> dropped, List<ForestEdit> edits, Consumer<Catalog> publish) {
    try {
      catalog.commit(edits, publish);
    } catch (StoreFullException | FileNotOpenedException e) {
      dropped.forEach(DatabaseHandle::takeBack); // nothing has changed
      throw e;
    } catch (RuntimeException | Error e) {
      // Whether they exist when the store is opened again is unknown. Until then they accept no
      // reads or writes, so they are not listed either; their files stay.
      halfDropped.addAll(dropped);
      dropped.forEach(each -> byName.remove(each.name()));
      throw e;
    }
  }

  /** All databases with open SSTs, including those whose drop has failed. */
  public List<DatabaseHandle> toClose() {
    List<DatabaseHandle> all = new ArrayList<>(byName.values());
    all.addAll(halfDropped);
    return all;
  }

  public static Catalog ofNewStore() {
    return Catalog.EMPTY.apply(new ForestEdit.DatabaseCreated(DEFAULT_ID, DEFAULT_NAME));
  }

  /**
   * Checks what no single edit of a manifest can show: every store has the database {@value
   * #DEFAULT_NAME}, with the id 1, and each index a database with its entries.
   *
   * @throws CorruptionException when one is missing
   */
  public static void check(Path manifest, Catalog catalog) {
    if (catalog.forest(DEFAULT_ID).filter(f -> f.name().equals(DEFAULT_NAME)).isEmpty()) {
      throw new CorruptionException(
          manifest, 0, "there is no database \"" + DEFAULT_NAME + "\", which every store has");
    }
    List<String> missing = new ArrayList<>();
    for (Forest forest : catalog.forests()) {
      for (IndexOptions index : forest.options().indexes()) {
        missing.add(IndexName.of(forest.name(), index.name()));
      }
    }
    if (missing.isEmpty()) {
      return;
    }
    for (Forest forest : catalog.forests()) {
      missing.remove(forest.name());
    }
    if (!missing.isEmpty()) {
      throw new CorruptionException(
          manifest, 0, "there is no database with " + IndexName.text(missing.get(0)));
    }
  }

  private static void checkName(@Nullable String name) {
    checkArgument(name != null, "the database's name is null");
    if (!DatabaseOptions.isAllowedName(name) && IndexName.isOne(name)) {
      throw new IllegalArgumentException(
          IndexName.text(name)
              + " is an index: it is kept by the store, comes and goes with the options of its"
              + " database, and is read by io.sifr.Index");
    }
    DatabaseOptions.checkName("database", name);
  }
}
