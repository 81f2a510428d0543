package io.sifr.internal.state;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.DatabaseOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.value.OpenValueFiles;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
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

  public List<String> names() {
    return List.copyOf(byName.keySet());
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
    catalog.commit(edits);
    setup.fileSystem().reached(StateCrashPoint.DATABASE_CREATED);
    Catalog changed = catalog.catalog();
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
   * The database of that name with those options, which it gets if it has others.
   *
   * @param sequence as for a creation
   */
  public synchronized DatabaseHandle getOrCreate(
      String name, DatabaseOptions options, long sequence) {
    checkName(name);
    DatabaseHandle handle = byName.get(name);
    return handle == null ? create(name, options, sequence) : alter(name, options, sequence);
  }

  /**
   * Changes the options of a database.
   *
   * @param sequence as for a creation
   */
  @CanIgnoreReturnValue
  public synchronized DatabaseHandle alter(String name, DatabaseOptions options, long sequence) {
    DatabaseHandle handle = get(name);
    DatabaseOptions before = handle.options();
    if (options.equals(before)) {
      return handle;
    }
    before.requireCanBecome(options);
    if (!Objects.equals(options.mergeOperator(), before.mergeOperator())
        || !Objects.equals(options.compactionFilter(), before.compactionFilter())) {
      setup.extensions().require(name, options);
    }
    int id = handle.id();
    List<ForestEdit> edits = new ArrayList<>();
    edits.add(new ForestEdit.DatabaseOptionsSet(id, options));
    if (sequence != UNRECORDED) {
      edits.add(new ForestEdit.EventRecorded(new LogEvent.Altered(sequence, id, name, options)));
    }
    catalog.commit(
        edits,
        changed -> {
          Forest forest = changed.forest(id).orElseThrow();
          EntryKinds kinds = setup.extensions().kindsIn(forest);
          handle.view().update(view -> view.withOptions(forest, kinds));
        });
    return handle;
  }

  /**
   * Removes a database.
   *
   * @param sequence as for a creation
   * @param stopWrites called before anything else: no write to the database may be in progress
   *     afterwards
   */
  public synchronized DatabaseHandle remove(
      String name, long sequence, Consumer<DatabaseHandle> stopWrites) {
    DatabaseHandle handle = get(name);
    checkArgument(!name.equals(DEFAULT_NAME), "the database \"%s\" cannot be dropped", name);
    stopWrites.accept(handle);
    setup.fileSystem().reached(StateCrashPoint.DATABASE_DROP_BEGUN);
    try {
      List<ForestEdit> edits = new ArrayList<>();
      edits.add(new ForestEdit.DatabaseDropped(handle.id()));
      if (sequence != UNRECORDED) {
        edits.add(new ForestEdit.EventRecorded(new LogEvent.Dropped(sequence, handle.id(), name)));
      }
      catalog.commit(edits);
    } catch (StoreFullException | FileNotOpenedException e) {
      handle.takeBack(); // nothing has changed
      throw e;
    } catch (RuntimeException | Error e) {
      // Whether it exists when the store is opened again is unknown. Until then it accepts no reads
      // or writes, so it is not listed either; its files stay.
      halfDropped.add(handle);
      byName.remove(name);
      throw e;
    }
    setup.fileSystem().reached(StateCrashPoint.DATABASE_DROPPED);
    byName.remove(name);
    return handle;
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
   * #DEFAULT_NAME}, with the id 1.
   *
   * @throws CorruptionException when it is missing
   */
  public static void check(Path manifest, Catalog catalog) {
    if (catalog.forest(DEFAULT_ID).filter(f -> f.name().equals(DEFAULT_NAME)).isEmpty()) {
      throw new CorruptionException(
          manifest, 0, "there is no database \"" + DEFAULT_NAME + "\", which every store has");
    }
  }

  private static void checkName(@Nullable String name) {
    checkArgument(name != null, "the database's name is null");
    DatabaseOptions.checkName("database", name);
  }
}
