package io.sifr.internal.engine;

import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.ReadOnlyStoreException;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundThreads;
import io.sifr.internal.background.UnusableSsts;
import io.sifr.internal.background.WorkParts.TaskEnvironments;
import io.sifr.internal.engine.index.Indexes;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DurableDirectories;
import io.sifr.internal.io.PhysicalMemory;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.manifest.Recovered;
import io.sifr.internal.memtable.MemtableMemory;
import io.sifr.internal.resources.SharedResources;
import io.sifr.internal.resources.StoreResources;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.Databases;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.ReleasedSegments;
import io.sifr.internal.state.RetainedLog;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreLog;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.state.WriteOrder;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.value.OpenValueFiles;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.volume.StoreVolumes;
import io.sifr.internal.wal.WalResources;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens the store in a directory, in an order in which a crash at any point does no harm: lock;
 * read the manifest, and continue it if its end is certain, else start a new one; delete orphans,
 * strictly before any background work can create files; replay the log, into write buffers if it
 * was closed in order or there is no space for anything else, else into new trees, and then delete
 * it, and the values to which nothing refers; start. So it needs no space that is not reserved
 * already. SSTs are opened when they are first used, and checked in the background; one that cannot
 * be opened does not keep the others from being read.
 */
public final class Opening {
  /** Name of the file by which the directory of an open store is locked. */
  public static final String LOCK_FILE = "LOCK";

  private final Setup setup;
  private final ValueFiles values;
  private final StoreResources resources;
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final StoreOptions options;
  private final boolean isReadOnly;

  private Opening(Setup setup, ValueFiles values, StoreResources resources, boolean isReadOnly) {
    this.isReadOnly = isReadOnly;
    this.setup = setup;
    this.values = values;
    this.resources = resources;
    this.fileSystem = setup.fileSystem();
    this.directory = setup.directory();
    this.options = setup.options();
  }

  /** Opens the store in a directory, see {@link io.sifr.Store#open}. */
  public static StoreEngine open(
      StoreFileSystem fileSystem, Path directory, StoreOptions options, StoreListener listener) {
    return open(Extensions.of(options), fileSystem, directory, options, listener, null);
  }

  /**
   * As above, with extensions that options cannot choose.
   *
   * @param shared what it shares with other stores; if null, it gets resources of its own
   */
  public static StoreEngine open(
      Extensions extensions,
      StoreFileSystem fileSystem,
      Path directory,
      StoreOptions options,
      StoreListener listener,
      @Nullable SharedResources shared) {
    return open(extensions, fileSystem, directory, options, listener, shared, false);
  }

  /**
   * Opens a store that accepts no writes and does no work in the background, in files that nobody
   * else uses.
   */
  public static StoreEngine openReadOnly(
      Extensions extensions,
      StoreFileSystem fileSystem,
      Path directory,
      StoreOptions options,
      StoreListener listener,
      @Nullable SharedResources shared) {
    return open(extensions, fileSystem, directory, options, listener, shared, true);
  }

  private static StoreEngine open(
      Extensions extensions,
      StoreFileSystem fileSystem,
      Path directory,
      StoreOptions options,
      StoreListener listener,
      @Nullable SharedResources shared,
      boolean isReadOnly) {
    if (shared != null) {
      shared.checkOpen();
    }
    if (!options.createIfMissing() && !holdsStore(fileSystem, directory)) {
      throw new IllegalArgumentException(directory + " holds no store");
    }
    Path real =
        DurableDirectories.create(
            fileSystem, directory, existing -> Manifest.exists(fileSystem, existing));
    DirectoryLock lock = fileSystem.lock(real, LOCK_FILE);
    try {
      boolean maps = options.readMode() == ReadMode.AUTO || options.readMode() == ReadMode.MMAP;
      StoreVolumes.Found found =
          isReadOnly
              ? new StoreVolumes.Found(fileSystem, lock)
              : StoreVolumes.open(fileSystem, real, lock, LOCK_FILE, wanted(options));
      lock = found.lock();
      ValueFiles values =
          ValueFiles.ofOpenStore(found.files(), real, extensions.codecs()::withId, maps);
      Extensions usual = extensions.with(values);
      Extensions own = fileSystem.keys().areUsed() ? usual.rotatingKeys() : usual;
      Setup setup = new Setup(found.files(), real, options, own, listener);
      return open(setup, values, lock, shared, isReadOnly);
    } catch (RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private static StoreVolumes.Wanted wanted(StoreOptions options) {
    return new StoreVolumes.Wanted(
        options.fastDirectory().orElse(null),
        options.fastBytes(),
        options.fastIsVolatile(),
        options.coldDirectory().orElse(null),
        options.writeBufferBytes());
  }

  private static StoreEngine open(
      Setup setup,
      ValueFiles values,
      DirectoryLock lock,
      @Nullable SharedResources shared,
      boolean isReadOnly) {
    StoreResources resources = shared == null ? ofItsOwn(setup) : shared.join(setup.directory());
    try {
      return new Opening(setup, values, resources, isReadOnly).run(lock);
    } catch (RuntimeException | Error e) {
      resources.close();
      throw e;
    }
  }

  /** Resources that end with the store. */
  private static StoreResources ofItsOwn(Setup setup) {
    try (SharedResources own = new SharedResources(setup.options())) {
      return own.join(setup.directory());
    }
  }

  private static boolean holdsStore(StoreFileSystem fileSystem, Path directory) {
    return fileSystem.exists(directory) && Manifest.exists(fileSystem, directory);
  }

  private StoreEngine run(DirectoryLock lock) {
    FirstFailure failure = new FirstFailure(directory);
    StoreFileSystem own = fileSystem.withoutOtherDevices(); // that of the manifest
    CatalogStore catalog =
        Manifest.exists(own, directory)
            ? CatalogStore.resume(own, directory, failure, recover())
            : CatalogStore.startFrom(own, directory, failure, Databases.ofNewStore());
    ReadEpochs epochs = new ReadEpochs();
    SstAccess access =
        new SstAccess(
            setup.extensions().kinds(),
            values,
            setup.extensions().codecs(),
            options.readMode(),
            new SstAccess.Memory(resources.memory(), PhysicalMemory.besideTheHeap()),
            new SstAccess.OpenFiles(resources.openFiles(), epochs::retire));
    try {
      fileSystem.reached(StoreCrashPoint.RECOVERY_MANIFEST_STARTED);
      deleteOrphans(catalog.catalog());
      ReleasedSegments.deleteObsolete(fileSystem, directory, catalog.catalog());
      fileSystem.reached(StoreCrashPoint.RECOVERY_ORPHANS_DELETED);
      access.storeHolds(catalog.catalog().bytes());
      SstParts ssts = new SstParts(access, epochs);
      TaskEnvironments tasks = new TaskEnvironments(setup, ssts, catalog);
      if (!isReadOnly && catalog.catalog().firstLogged() != LogicalTree.NOT_LOGGED) {
        new LostSsts(setup, catalog, tasks).run();
      }
      List<Sst> found = attachSsts(catalog.catalog(), access);
      MemtableMemory memtables = resources.memory().memtables();
      Recovery.Result recovered = new Recovery(setup, values, catalog, tasks, memtables).run();
      fileSystem.reached(StoreCrashPoint.RECOVERY_REPLAYED);
      deleteUnneededValues(catalog.catalog(), recovered);
      if (!isReadOnly) {
        retainLog(catalog, recovered.lastSequence() + 1);
      }
      ReleasedSegments.deleteUnneeded(fileSystem, directory, catalog.catalog());
      fileSystem.reached(StoreCrashPoint.RECOVERY_LOG_DELETED);
      BackgroundThreads threads = new BackgroundThreads(resources.threads());
      StoreState state = state(failure, catalog, recovered, threads);
      StoreEngine engine = new StoreEngine(setup, resources, ssts, state, threads, lock);
      if (isReadOnly) {
        boolean unused = failure.note(new ReadOnlyStoreException(directory));
      } else {
        state.log().released().giveBackDue();
        engine.start(found);
      }
      Indexes indexes = engine.indexes();
      if (indexes != null) {
        indexes.open(!isReadOnly);
      }
      return engine;
    } catch (RuntimeException | Error e) {
      closeSsts(catalog.catalog());
      access.close();
      catalog.close();
      throw e;
    }
  }

  private StoreState state(
      FirstFailure failure,
      CatalogStore catalog,
      Recovery.Result recovered,
      BackgroundThreads threads) {
    OpenValueFiles ofPuts =
        new OpenValueFiles(
            values,
            () -> {
              failure.check(); // as for a segment of the log
              return catalog.nextNumber();
            },
            new SecureRandom()::nextLong);
    MemtableMemory memtables = resources.memory().memtables();
    WalResources ofLog =
        new WalResources(threads.log(), resources.segments()).withBeforeSync(ofPuts::sync);
    Lifecycle lifecycle = new Lifecycle();
    WriteOrder writes = new WriteOrder(recovered.lastSequence());
    Databases databases =
        new Databases(lifecycle, setup, catalog, memtables, ofPuts, recovered.buffers());
    StoreLog log =
        new StoreLog(setup, failure, writes, catalog, databases, ofLog, recovered.kept());
    Counters counters = new Counters(catalog.catalog().totals());
    return new StoreState(lifecycle, failure, writes, catalog, databases, log, counters);
  }

  private void retainLog(CatalogStore catalog, long nextSequence) {
    List<ForestEdit> edits = RetainedLog.editsOfRetention(options, catalog.catalog(), nextSequence);
    if (!edits.isEmpty()) {
      catalog.commit(edits);
    }
  }

  private Recovered recover() {
    Recovered recovered = Manifest.recover(fileSystem, directory);
    Path manifest = FileKind.MANIFEST.path(directory, recovered.current().number());
    Databases.check(manifest, recovered.catalog());
    for (Forest forest : recovered.catalog().forests()) {
      setup.extensions().require(forest.name(), forest.options());
    }
    return recovered;
  }

  /**
   * Deletes SSTs that no forest holds: outputs of flushes and compactions that were not committed,
   * and inputs that a compaction has finished.
   */
  private void deleteOrphans(Catalog catalog) {
    Set<Long> ssts = new HashSet<>();
    catalog.forests().forEach(forest -> forest.ssts().forEach(sst -> ssts.add(sst.number())));
    deleteAllBut(ssts, FileKind.SST, FileKind.TAIL);
  }

  /**
   * Deletes the value files to which nothing refers, neither an SST of a forest nor what was read
   * of the log.
   */
  private void deleteUnneededValues(Catalog catalog, Recovery.Result recovered) {
    Set<Long> referredTo = new HashSet<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        sst.meta().values().forEach(use -> referredTo.add(use.file()));
      }
    }
    for (List<WriteBuffer> buffers : recovered.buffers().values()) {
      for (WriteBuffer buffer : buffers) {
        HeldValueFiles held = buffer.valueFiles();
        if (held != null) {
          referredTo.addAll(held.numbers());
        }
      }
    }
    deleteAllBut(referredTo, FileKind.VALUES);
  }

  private void deleteAllBut(Set<Long> known, FileKind... kinds) {
    for (String name : fileSystem.list(directory)) {
      for (FileKind kind : kinds) {
        long number = kind.numberOf(name).orElse(-1L);
        if (number >= 0 && !known.contains(number)) {
          fileSystem.delete(directory.resolve(name));
        }
      }
    }
  }

  /**
   * Prepares the SSTs to be opened that are not open yet. Those that cannot be stay in their trees:
   * a read that needs one throws the reason.
   *
   * @return all of them
   */
  private List<Sst> attachSsts(Catalog catalog, SstAccess access) {
    List<Sst> found = new ArrayList<>();
    for (Forest forest : catalog.forests()) {
      for (Sst sst : forest.ssts()) {
        if (sst.readerIfOpen() == null) {
          found.add(sst);
        }
      }
    }
    found.forEach(sst -> sst.attach(access));
    if (!options.openIfDamaged()) {
      UnusableSsts.refuse(found);
    }
    return found;
  }

  private static void closeSsts(Catalog catalog) {
    for (Forest forest : catalog.forests()) {
      forest.ssts().forEach(sst -> sst.markObsolete(() -> {}));
    }
  }
}
