package io.sifr.internal.state;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.manifest.Recovered;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Failures.FirstFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The catalog in memory and its manifest on disk: every change is made durable and then visible.
 * Also the source of numbers for files and trees, which are reserved in the manifest by the
 * thousand so that none is ever used twice, even after a crash.
 *
 * <p>Thread-safe.
 */
public final class CatalogStore implements AutoCloseable {
  private static final long NUMBERS_RESERVED_AT_ONCE = 1000;
  private static final long NO_NUMBER = -1;

  private final Path directory;
  private final FirstFailure failure;
  private final Object commitLock = new Object();

  /** Guarded by commitLock. */
  private Manifest manifest;

  /** A new manifest is started when less room than this is left. Guarded by commitLock. */
  private long startOverBelow;

  /**
   * Number reserved for the next manifest, for which there was no space yet. Guarded by commitLock.
   */
  private long manifestNumber = NO_NUMBER;

  /** Guarded by commitLock. */
  private boolean closed;

  /** Written under commitLock. */
  private volatile Catalog catalog;

  private final AtomicLong nextNumber;

  /** Numbers below it may be handed out. Written under commitLock. */
  private volatile long reservedNumbers;

  private CatalogStore(
      StoreFileSystem fileSystem,
      Path directory,
      FirstFailure failure,
      Catalog catalog,
      long firstNumber) {
    this.directory = directory;
    this.failure = failure;
    this.catalog = reserve(catalog, firstNumber + NUMBERS_RESERVED_AT_ONCE);
    this.nextNumber = new AtomicLong(firstNumber + 1);
    this.reservedNumbers = firstNumber + NUMBERS_RESERVED_AT_ONCE;
    this.manifest = Manifest.startNew(fileSystem, directory, firstNumber, this.catalog);
    this.startOverBelow = manifest.reserve() / 2;
  }

  private CatalogStore(Path directory, FirstFailure failure, Catalog catalog, Manifest manifest) {
    this.directory = directory;
    this.failure = failure;
    this.catalog = catalog;
    this.nextNumber = new AtomicLong(catalog.nextNumber());
    this.reservedNumbers = catalog.nextNumber(); // none: the first request reserves some
    this.manifest = manifest;
    this.startOverBelow = manifest.reserve() / 2;
  }

  private static Catalog reserve(Catalog catalog, long next) {
    return catalog.apply(new ForestEdit.NumbersReserved(next));
  }

  /**
   * Continues from a manifest: in the same file if its end is certain, which writes nothing, or if
   * there is no space for another one; else in a new one.
   */
  public static CatalogStore resume(
      StoreFileSystem fileSystem, Path directory, FirstFailure failure, Recovered found) {
    return Manifest.resume(fileSystem, directory, found)
        .map(manifest -> new CatalogStore(directory, failure, found.catalog(), manifest))
        .orElseGet(() -> startOrResumeInPlace(fileSystem, directory, failure, found));
  }

  private static CatalogStore startOrResumeInPlace(
      StoreFileSystem fileSystem, Path directory, FirstFailure failure, Recovered found) {
    try {
      return startFrom(fileSystem, directory, failure, found.catalog());
    } catch (StoreFullException e) {
      if (!Manifest.isCurrent(fileSystem, directory, found)) {
        throw e;
      }
      Manifest same = Manifest.resumeInPlace(fileSystem, directory, found);
      return new CatalogStore(directory, failure, found.catalog(), same);
    }
  }

  /** Continues from a catalog in a new manifest. */
  public static CatalogStore startFrom(
      StoreFileSystem fileSystem, Path directory, FirstFailure failure, Catalog catalog) {
    return new CatalogStore(fileSystem, directory, failure, catalog, catalog.nextNumber());
  }

  /** The catalog as the last commit left it. */
  public Catalog catalog() {
    return catalog;
  }

  /** A number for a file or a tree that was never used. */
  public long nextNumber() {
    while (true) {
      long number = nextNumber.get();
      if (number < reservedNumbers) {
        if (nextNumber.compareAndSet(number, number + 1)) {
          return number;
        }
      } else {
        synchronized (commitLock) {
          if (nextNumber.get() >= reservedNumbers) {
            commit(List.of());
          }
        }
      }
    }
  }

  /**
   * The edits that add a flushed memtable to the forest of a database, as a modifiable list.
   *
   * @param ssts what the memtable was flushed to; empty when no entry had to be kept
   */
  public List<ForestEdit> editsOfFlush(int databaseId, Memtable flushed, List<Sst> ssts) {
    List<ForestEdit> edits = new ArrayList<>();
    if (!ssts.isEmpty()) {
      edits.add(new ForestEdit.TreeAdded(databaseId, 1, nextNumber(), ssts));
    }
    edits.add(new ForestEdit.FlushedTo(databaseId, flushed.maxSequence()));
    return edits;
  }

  /**
   * Makes a group of edits durable, atomically, and then visible.
   *
   * @param publish shows the changed catalog to readers; called under the commit lock, so views
   *     change in the order of the commits
   * @return the changed catalog
   * @throws IllegalArgumentException when an edit does not fit or cannot be encoded; nothing has
   *     changed then
   * @throws StoreFullException when the disk is full and the room reserved in the manifest is used
   *     up, or needs space to be written; nothing has changed then
   * @throws FileNotOpenedException when that room is used up and a new manifest cannot be opened;
   *     nothing has changed then
   * @throws io.sifr.error.SifrException when the manifest cannot be written; the store accepts no
   *     writes from then on
   */
  @CanIgnoreReturnValue
  public Catalog commit(List<ForestEdit> edits, Consumer<Catalog> publish) {
    synchronized (commitLock) {
      if (closed) {
        throw Lifecycle.closedException();
      }
      failure.check();
      List<ForestEdit> group = new ArrayList<>(edits);
      long next = nextNumber.get();
      boolean reserves = next + NUMBERS_RESERVED_AT_ONCE / 2 >= reservedNumbers;
      if (reserves) {
        group.add(new ForestEdit.NumbersReserved(next + NUMBERS_RESERVED_AT_ONCE));
      }
      Catalog changed = catalog.apply(group);
      write(group, changed);
      catalog = changed;
      if (reserves) {
        reservedNumbers = next + NUMBERS_RESERVED_AT_ONCE;
      }
      publish.accept(changed);
      return changed;
    }
  }

  /** As above, for edits that no view shows. */
  @CanIgnoreReturnValue
  public Catalog commit(List<ForestEdit> edits) {
    return commit(edits, changed -> {});
  }

  private void write(List<ForestEdit> group, Catalog changed) {
    try {
      // Early, while the remaining room still suffices for a full disk.
      boolean mayGoOn = manifest.room() > startOverBelow && !manifest.isOfOldKey();
      if (mayGoOn || startOver(changed) != null) {
        append(group, changed);
      }
    } catch (StoreFullException | FileNotOpenedException | IllegalArgumentException e) {
      throw e; // nothing has changed: what cannot be encoded has not come to the disk
    } catch (RuntimeException | Error e) {
      failure.note(e);
      throw e;
    }
  }

  private void append(List<ForestEdit> group, Catalog changed) {
    try {
      manifest.append(group);
    } catch (StoreFullException e) {
      StoreIoException reason = startOver(changed);
      if (reason != null) {
        throw reason;
      }
    }
  }

  /**
   * Continues in a new manifest that begins with a catalog.
   *
   * @return null, or why there could be none yet: no space, or no file could be opened
   */
  private @Nullable StoreIoException startOver(Catalog changed) {
    if (manifestNumber == NO_NUMBER) {
      // Not by nextNumber(), which may commit and so recurse. If fewer than half of the reserved
      // numbers are left, the group that is being committed reserves more.
      manifestNumber = nextNumber.getAndIncrement();
    }
    try {
      manifest = manifest.rewrite(manifestNumber, changed);
    } catch (StoreFullException | FileNotOpenedException e) {
      if (manifest.hasFailed()) {
        throw new StoreFailedException(directory, e);
      }
      startOverBelow = manifest.room() / 2;
      return e;
    }
    manifestNumber = NO_NUMBER;
    startOverBelow = manifest.room() / 2;
    return null;
  }

  @Override
  public void close() {
    synchronized (commitLock) {
      closed = true;
      manifest.close();
    }
  }
}
