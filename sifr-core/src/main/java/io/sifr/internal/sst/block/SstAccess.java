package io.sifr.internal.sst.block;

import io.sifr.config.ReadMode;
import io.sifr.internal.cache.ReadAheadMemory;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.filter.FilterCounts;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SharedMemory;
import io.sifr.internal.resources.SharedOpenFiles;
import io.sifr.internal.resources.StoreMemory;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.PageSource;
import io.sifr.internal.sst.format.SstTail;
import io.sifr.internal.value.ValueFiles;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access of a store to its SSTs: mapped or read by position, through the page cache or with
 * direct I/O, and the cache of what was read. One per store; all its SSTs are opened through it.
 *
 * <p>In mode {@code AUTO} SSTs are mapped as long as all of them fit well into memory. Mappings
 * larger than memory perform badly: the kernel reads many pages around each fault, and with a tenth
 * of the data in memory a get reads hundreds of KiB. So once the store outgrows memory, all blocks
 * are read by position. A mapping that exists then is closed when its SST is used next.
 *
 * <p>Thread-safe.
 */
public final class SstAccess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SstAccess.class);

  /** Mapped SSTs take at most one in this many of the bytes of memory outside the heap. */
  private static final int MAPPED_SHARE = 2;

  /** After they have exceeded that, SSTs are mapped again below one in this many. */
  private static final int MAPPED_AGAIN_SHARE = 3;

  /** Of the cache of {@link #mapped}. */
  private static final long TOOLS_CACHE_BYTES = 32 << 20;

  private final EntryKinds kinds;
  private final ValueFiles values;
  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final ReadMode mode;
  private final BlockCodecs codecs;
  private final long memoryForMappings;
  private final StoreMemory memory;
  private final SharedCache.OfStore cache;
  private final ReadMeter meter;
  private final ColdPages coldPages = new ColdPages();
  private final FilterCounts filterCounts = new FilterCounts();
  private final SstFaults faults = new SstFaults();
  private final OpenFiles openFiles;
  private final AtomicBoolean directIsImpossible = new AtomicBoolean();
  private volatile boolean maps;

  /**
   * @param kinds the kinds of entries there may be
   * @param values the value files, in the directory of the SSTs; closed with this
   * @param codecs the codecs that blocks may be encoded with
   * @param mode how blocks are read
   * @param openFiles the SSTs that are open
   */
  public SstAccess(
      EntryKinds kinds,
      ValueFiles values,
      BlockCodecs codecs,
      ReadMode mode,
      Memory memory,
      OpenFiles openFiles) {
    this.kinds = kinds;
    this.values = values;
    this.fileSystem = values.fileSystem();
    this.directory = values.directory();
    this.meter = values.meter();
    this.mode = mode;
    this.codecs = codecs;
    this.memoryForMappings = memory.forMappings();
    this.memory = memory.kept();
    this.cache = this.memory.cache();
    this.openFiles = openFiles;
    this.maps = (mode == ReadMode.MMAP || mode == ReadMode.AUTO) && fileSystem.mapsSsts();
  }

  /** For tools and tests: everything mapped, and indexes kept. */
  public static SstAccess mapped(StoreFileSystem fileSystem, Path directory, BlockCodecs codecs) {
    return new SstAccess(
        EntryKinds.STANDARD,
        new ValueFiles(fileSystem, directory, codecs::withId),
        codecs,
        ReadMode.MMAP,
        new Memory(SharedMemory.ofCache(TOOLS_CACHE_BYTES).join(), 0),
        new OpenFiles(Integer.MAX_VALUE, Runnable::run));
  }

  /** Called now and then with the size of all SSTs. */
  public void storeHolds(long bytes) {
    if (mode == ReadMode.AUTO && fileSystem.mapsSsts()) {
      long most = memoryForMappings / (maps ? MAPPED_SHARE : MAPPED_AGAIN_SHARE);
      maps = bytes <= most;
    }
  }

  /** What is known of SSTs that cannot be read. */
  public SstFaults faults() {
    return faults;
  }

  /** Whether SSTs are mapped at present, and read through their mappings where they have one. */
  public boolean maps() {
    return maps;
  }

  /** Whether reads can be announced to the system: where they go through the page cache. */
  public boolean announcesReads() {
    return mode != ReadMode.DIRECT && fileSystem.announcesReads();
  }

  /** The kinds of entries there may be, and their meaning. */
  public EntryKinds kinds() {
    return kinds;
  }

  /** The files with values that SSTs refer to. */
  public ValueFiles values() {
    return values;
  }

  /** The codecs that blocks may be encoded with. */
  public BlockCodecs codecs() {
    return codecs;
  }

  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  /** The file of an SST. */
  public Path path(long number) {
    return FileKind.SST.path(directory, number);
  }

  /**
   * The header of a new SST, encrypted if new files are.
   *
   * @param number of the SST
   * @param uniqueId random, never used before
   */
  public FileHeader newHeader(long number, long uniqueId) {
    return FileHeader.of(fileSystem.keys(), FileKind.SST, number, uniqueId);
  }

  public SharedCache.OfStore cache() {
    return cache;
  }

  /** What iterators read ahead is charged to it. */
  public ReadAheadMemory readAhead() {
    return memory.readAhead();
  }

  OpenFiles openFiles() {
    return openFiles;
  }

  /** What is known of the pages of mappings that are not in memory. */
  public ColdPages coldPages() {
    return coldPages;
  }

  /** Counts the reads by position. */
  public ReadMeter meter() {
    return meter;
  }

  /** Counts the answers of filters. */
  public FilterCounts filterCounts() {
    return filterCounts;
  }

  /** What the SSTs take in memory. */
  public StoreMemory memory() {
    return memory;
  }

  /** Reads what follows the parts of the index of an SST, see {@link SstTail#read}. */
  public SstTail readTail(Path file, long number, long size, PageSource source, long baseSequence) {
    return SstTail.read(file, kinds, codecs, fileSystem.keys(), size, source, number, baseSequence);
  }

  /** Creates the file of an SST, to be written past the page cache if it is read past it. */
  public AppendFile create(Path file) {
    return mode == ReadMode.DIRECT ? fileSystem.createDirect(file) : fileSystem.create(file);
  }

  /**
   * Opens an SST of a forest to be read by position, as {@link #openToRead(Path)}; what follows its
   * blocks is read in a copy if it is far away, see {@link FarSst}.
   *
   * @param bytes size that it should have
   */
  RandomReadFile openToRead(Path file, long bytes) {
    return fileSystem.isFar(file)
        ? new FarSst(fileSystem, directory, file, bytes, this::openToRead)
        : openToRead(file);
  }

  /** Opens a file to be read by position, bypassing the page cache if the mode says so. */
  public RandomReadFile openToRead(Path file) {
    RandomReadFile opened = open(file);
    opened.keepsItsName(); // an SST is deleted when its last reader has left it
    return opened;
  }

  private RandomReadFile open(Path file) {
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

  /** Frees the memory, and closes the value files. Called after the SSTs are closed. */
  @Override
  public void close() {
    try (memory) {
      values.close();
    }
  }

  /**
   * The memory for SSTs.
   *
   * @param kept for what is kept of them; freed when the access is closed
   * @param forMappings bytes of memory outside the heap
   */
  public record Memory(StoreMemory kept, long forMappings) {}

  /**
   * The SSTs of a store whose files are open.
   *
   * @param files the open files, perhaps of other stores too
   * @param retire runs a task once every reader without a pin has left
   */
  public record OpenFiles(SharedOpenFiles files, Consumer<Runnable> retire) {
    /** Those of one store alone, at most so many. */
    public OpenFiles(int most, Consumer<Runnable> retire) {
      this(new SharedOpenFiles(most), retire);
    }
  }
}
