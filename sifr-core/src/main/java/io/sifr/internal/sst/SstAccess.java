package io.sifr.internal.sst;

import io.sifr.config.ReadMode;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.PhysicalMemory;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a store gets at its SSTs: mapped or read by position, through the page cache or past it, and
 * the cache of blocks that were read. One for a store; all its SSTs are opened through it.
 *
 * <p>In mode {@code AUTO} SSTs are mapped as long as they all fit well into memory. A mapping that
 * does not fit is a trap: the kernel reads many pages around each fault, and with a tenth of the
 * data in memory a get then reads hundreds of KiB. So when the store outgrows memory, blocks are
 * read by position from then on, mapped or not; the mappings stay, since an untouched one costs
 * nothing but addresses, until their SSTs go.
 *
 * <p>Thread-safe.
 */
public final class SstAccess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SstAccess.class);

  /** SSTs take at most one in so many of the bytes that the heap leaves of the memory... */
  private static final int MAPPED_SHARE = 2;

  /** ...and when they took more, they are mapped again when less than one in so many. */
  private static final int MAPPED_AGAIN_SHARE = 3;

  /** The kernel of Linux allows a process 65,530 mappings, if nobody told it otherwise. */
  private static final int MOST_MAPPED_SSTS = 30_000;

  private final EntryKinds kinds;
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final ReadMode mode;
  private final BlockCodec codec;
  private final long memoryForMappings;
  private final BlockCache cache;
  private final ReadMeter meter = new ReadMeter();
  private final OpenSsts openSsts;
  private final AtomicBoolean directIsImpossible = new AtomicBoolean();
  private volatile boolean maps;

  /**
   * @param kinds which entries there may be
   * @param mode how blocks are read
   * @param codec encodes the blocks of SSTs that are written
   * @param cacheBytes bytes of blocks to keep that were read by position, or decoded
   * @param mostOpen how many SSTs may be open
   * @param retire runs what it is given when nobody is left who reads without a pin
   */
  public SstAccess(
      EntryKinds kinds,
      StoreFileSystem fileSystem,
      Path directory,
      ReadMode mode,
      BlockCodec codec,
      long cacheBytes,
      int mostOpen,
      Consumer<Runnable> retire) {
    this(
        kinds,
        fileSystem,
        directory,
        mode,
        codec,
        cacheBytes,
        PhysicalMemory.besideTheHeap(),
        new OpenSsts(mostOpen, retire));
  }

  /** As above, with so many bytes of memory for whatever is not on the heap. */
  SstAccess(
      EntryKinds kinds,
      StoreFileSystem fileSystem,
      Path directory,
      ReadMode mode,
      BlockCodec codec,
      long cacheBytes,
      long memoryForMappings,
      OpenSsts openSsts) {
    this.kinds = kinds;
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.mode = mode;
    this.codec = codec;
    this.memoryForMappings = memoryForMappings;
    this.cache = new BlockCache(cacheBytes);
    this.openSsts = openSsts;
    this.maps = mode == ReadMode.MMAP || mode == ReadMode.AUTO;
  }

  /** For tools and tests: everything mapped. */
  public static SstAccess mapped(StoreFileSystem fileSystem, Path directory) {
    return new SstAccess(
        EntryKinds.STANDARD,
        fileSystem,
        directory,
        ReadMode.MMAP,
        BlockCodec.NONE,
        0,
        0,
        new OpenSsts(Integer.MAX_VALUE, Runnable::run));
  }

  /** Is told how much there is, now and then. */
  public void storeHolds(long bytes, int ssts) {
    if (mode == ReadMode.AUTO) {
      long most = memoryForMappings / (maps ? MAPPED_SHARE : MAPPED_AGAIN_SHARE);
      maps = bytes <= most && ssts <= MOST_MAPPED_SSTS;
    }
  }

  /** Whether SSTs are mapped at present, and read through their mappings where there are some. */
  public boolean maps() {
    return maps;
  }

  /** Which entries there may be, and what they mean. */
  public EntryKinds kinds() {
    return kinds;
  }

  /** Encodes the blocks of SSTs that are written. */
  public BlockCodec codec() {
    return codec;
  }

  StoreFileSystem fileSystem() {
    return fileSystem;
  }

  Path directory() {
    return directory;
  }

  BlockCache cache() {
    return cache;
  }

  OpenSsts openSsts() {
    return openSsts;
  }

  /** Counts what is read by position. */
  public ReadMeter meter() {
    return meter;
  }

  /** Bytes of blocks in the cache. */
  public long cachedBytes() {
    return cache.bytes();
  }

  /** Opens a file to be read by position, past the page cache if the mode says so. */
  RandomReadFile openToRead(Path file) {
    if (mode == ReadMode.DIRECT && !directIsImpossible.get()) {
      try {
        return new AlignedReads(fileSystem.openForDirectRead(file));
      } catch (UnsupportedOperationException e) {
        if (directIsImpossible.compareAndSet(false, true)) {
          LOG.warn(
              "the file system of {} has no direct reads; reading through the page cache",
              directory);
        }
      }
    }
    return fileSystem.openForRead(file);
  }

  /** Gives the cached blocks back. Behind the SSTs. */
  @Override
  public void close() {
    cache.close();
  }
}
