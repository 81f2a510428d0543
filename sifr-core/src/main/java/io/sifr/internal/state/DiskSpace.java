package io.sifr.internal.state;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalResources;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The space that is left of the disk, and the part of it that each use may take: flushes all of it;
 * compactions what flushes do not need; the log, and what is written to it, what an SST or two of a
 * compaction do not need besides. So a store that fills its disk can still flush deletes, and then
 * drop or compact what they delete.
 *
 * <p>Space that is unknown is taken for enough: a write to a full disk fails.
 *
 * <p>Thread-safe.
 */
public final class DiskSpace {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

  /** Bytes of an SST with little in it: a few pages. */
  private static final long LEAST_FLUSH_BYTES = 16 << 10;

  /** In how many databases the deletes that make room can be flushed, if no others are. */
  private static final int DATABASES_KEPT_FREE = 16;

  /** Bytes for log segments of deletes, and for a manifest. */
  private static final long SMALL_FILES_KEPT_FREE = 96 << 10;

  /** The part of those that compactions leave: enough to log a delete of everything. */
  private static final long DELETE_KEPT_FREE = 16 << 10;

  /** The bytes that a range delete adds to the flush of keys: SSTs before and after them. */
  private static final long RANGE_DELETE_BYTES = 2 * LEAST_FLUSH_BYTES;

  /**
   * With so much left, flushes of few entries cannot fill the disk soon; it takes time to add up
   * what all databases need if there are many.
   */
  private static final long PLENTY_BYTES = 1L << 30;

  /** As many SSTs as a compaction of one thread may write before it can delete an input. */
  private static final int SSTS_KEPT_FREE = 2;

  private final Setup setup;
  private final CatalogStore catalog;
  private final Databases databases;

  /** Bytes of SSTs that compactions have begun to write; guarded by this. */
  private long reserved;

  // Both written after a look at the disk.

  private volatile boolean lacksRoom;
  private volatile boolean isTight;

  DiskSpace(Setup setup, CatalogStore catalog, Databases databases) {
    this.setup = setup;
    this.catalog = catalog;
    this.databases = databases;
  }

  /**
   * Whether writes have to {@link StoreLog#requireRoom reserve space}, unless they only delete.
   * What a segment takes is checked when it is prepared; but from few writes, and from those that
   * are not logged, many flushes can be made.
   */
  public boolean lacksRoom() {
    return lacksRoom;
  }

  /**
   * Whether there is too little for several compactions side by side. Each keeps of every input
   * tree an SST that it has read in part, and has one to write besides.
   */
  public boolean isTight() {
    return isTight;
  }

  /**
   * Looks at the disk: whether there is space for one more flush of each database, and for
   * compactions side by side. Called after flushes, and when compactions begin or end. Throws
   * nothing: the caller has work to hand on, and whoever writes finds out what is wrong.
   */
  public void measure() {
    try {
      measureForLog();
    } catch (RuntimeException | Error e) {
      LOG.debug("the space that is left is not known", e);
    }
  }

  /** Looks at the disk. Returns what the log may take. */
  @CanIgnoreReturnValue
  private long measureForLog() {
    long taken = reserved(); // first: what is written meanwhile counts twice, not at all
    long free = free();
    if (isPlenty(free - taken)) {
      lacksRoom = false;
      isTight = false;
      return Long.MAX_VALUE;
    }
    long beside = besideFlushes(free);
    long sst = sstBytes();
    long room = forLog(beside, sst);
    lacksRoom = room - taken < flushBytesOfAll();
    int inputs = setup.extensions().policy().growthFactor();
    isTight = beside < sst * setup.options().compactionThreads() * (inputs + 1);
    return room;
  }

  /**
   * Checks that there is space for the flush of what is written, besides what is kept for deletes
   * and compactions.
   *
   * @throws StoreFullException if there is none
   */
  void requireRoom() {
    long room = measureForLog();
    if (lacksRoom && room < 0) {
      throw WalResources.noRoom(setup.directory());
    }
  }

  /**
   * Checks that there is space for a value, besides what is kept for other uses.
   *
   * @throws StoreFullException if there is none
   */
  void requireRoomFor(long bytes) {
    if (forLog() < bytes) {
      throw WalResources.noRoom(setup.directory());
    }
  }

  /** Of as many databases as space is kept for. */
  long flushBytesOfAll() {
    return Math.min(databases.all().size(), DATABASES_KEPT_FREE) * LEAST_FLUSH_BYTES;
  }

  /** Bytes of the disk that the log may take, and the flushes of what is written to it. */
  long forLog() {
    long free = free();
    return free == Long.MAX_VALUE ? free : forLog(besideFlushes(free), sstBytes());
  }

  private long forLog(long beside, long sst) {
    return beside
        - SSTS_KEPT_FREE * SstSizes.fileBytes(sst)
        - flushBytesOfAll()
        - SMALL_FILES_KEPT_FREE;
  }

  /**
   * A compaction is about to write an SST. Flushes keep what they need, and a delete to come: what
   * compactions hold may be deleted, and then they give it back only after the flush of the delete.
   *
   * @param bytes about its size, at most
   * @throws StoreFullException if there is too little for it besides
   */
  public void reserve(long bytes) {
    boolean plenty;
    synchronized (this) {
      // Looked at under the lock: an SST that is written meanwhile would else count as free space,
      // and as reserved no more.
      long left = free() - reserved - bytes;
      plenty = isPlenty(left);
      if (!plenty && besideFlushes(left) < flushBytesOfAll() + DELETE_KEPT_FREE) {
        throw WalResources.noRoom(setup.directory());
      }
      reserved += bytes;
    }
    if (!plenty || lacksRoom || isTight) { // else another look would find the same
      measure(); // writes must not take meanwhile what was kept for their own flush
    }
  }

  /** The SST is written, or given up. */
  public synchronized void release(long bytes) {
    reserved -= bytes;
  }

  private synchronized long reserved() {
    return reserved;
  }

  private long free() {
    try {
      return setup.fileSystem().usableBytes(setup.directory());
    } catch (SifrException e) {
      return Long.MAX_VALUE;
    }
  }

  private boolean isPlenty(long free) {
    return free - databases.memory().used() >= PLENTY_BYTES;
  }

  private long sstBytes() {
    return setup.sstSizes(catalog.catalog().bytes()).targetBytes();
  }

  /** The bytes that are left besides the flushes of all write buffers. */
  private long besideFlushes(long free) {
    return free - databases.all().stream().mapToLong(DiskSpace::flushBytes).sum();
  }

  /** About how many bytes of SSTs the flushes of a database write. */
  private static long flushBytes(DatabaseHandle database) {
    StoreView view = database.view().get();
    return Stream.concat(Stream.of(view.active()), view.immutables().stream())
        .map(WriteBuffer::memtable)
        .filter(memtable -> !memtable.isEmpty())
        .mapToLong(memtable -> Math.max(memtable.allocatedBytes(), LEAST_FLUSH_BYTES))
        .map(bytes -> bytes + RANGE_DELETE_BYTES)
        .sum();
  }
}
