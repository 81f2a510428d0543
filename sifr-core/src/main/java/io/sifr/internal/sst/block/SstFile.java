package io.sifr.internal.sst.block;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.resources.SharedOpenFiles;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.SstTail;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file of an SST that was opened: closed when too many files are open, opened again when
 * something has to be read, and closed for good with the SST. Safe for any thread.
 *
 * <p>Its users are protected in one of two ways. A point search takes {@link #blocks} and is in a
 * read epoch; it counts nothing. An iterator, or whoever reads for long, takes them {@link #inUse}:
 * it is counted by the {@link Blocks} and leaves them at the end. The file that is open is counted
 * once itself. To close it, it is first taken out of {@link #open}, so that nobody finds it from
 * then on, and its own count is dropped when all read epochs have ended in which somebody may have
 * found it. A count never rises from 0: an iterator that comes too late to be counted looks for the
 * open file again. So a mapping is unmapped, and a descriptor closed, when nobody can be using it.
 *
 * <p>When the SST is closed for good its count is dropped at once: its last pin is gone, and it is
 * in no view that an epoch still protects. Only counted users are left.
 *
 * <p>The lock is held while the file is opened or {@link #open} changes, but not while the files of
 * other SSTs are closed to make room for this one.
 */
public final class SstFile implements SharedOpenFiles.Closeable {
  private final SstAccess access;
  private final SharedOpenFiles files;
  private final Health health;
  private final Path path;
  private final long bytes;
  private final boolean mayUseCopy;

  /** Null when the file is closed. Written with the lock of this. */
  private volatile @Nullable Blocks open;

  /** Told of each mapping of the file, and by null that it has none. Called with the lock. */
  private Consumer<@Nullable ByteBuffer> mappings = mapping -> {};

  private boolean closed; // guarded by this

  /**
   * A file that is not open yet, and whose size is checked.
   *
   * @param mayUseCopy whether a part of it may be read in a copy, see {@link FarSst}
   */
  public SstFile(SstAccess access, Path path, long bytes, Health health, boolean mayUseCopy) {
    this.access = access;
    this.files = access.openFiles().files();
    this.health = health;
    this.path = path;
    this.bytes = bytes;
    this.mayUseCopy = mayUseCopy;
    SstTail.checkSize(path, bytes);
  }

  /**
   * Opens it for the first time, for the thread that has made this and shares it later. {@link
   * #opened} is to be called then.
   */
  public Blocks openFirst() {
    Blocks first = open();
    open = first;
    return first;
  }

  /**
   * Has somebody told of each mapping of the file, that it has now and will have later, and by null
   * that it has none. Who uses a mapping without asking for {@link #blocks} is in a read epoch.
   */
  public synchronized void tellOfMappings(Consumer<@Nullable ByteBuffer> told) {
    mappings = told;
    now(open);
  }

  // Guarded by this.
  private void now(@Nullable Blocks blocks) {
    open = blocks;
    mappings.accept(blocks == null ? null : blocks.mapping());
  }

  /** Checks that a file is there, and of the size that the manifest says. */
  public static void requireSize(SstAccess access, Path file, long expected) {
    long size;
    try {
      size = access.fileSystem().size(file);
    } catch (StoreIoException e) {
      if (!access.fileSystem().exists(file)) {
        throw new CorruptionException(file, 0, "the file is missing");
      }
      throw e;
    }
    requireSize(file, size, expected);
  }

  private static void requireSize(Path file, long size, long expected) {
    if (size != expected) {
      throw new CorruptionException(
          file, 0, "the file has " + size + " bytes, the manifest says " + expected);
    }
  }

  /** Opens the file, and checks that it is there and of the size that it should have. */
  private Blocks open() {
    try {
      return access.maps() ? map() : openToRead();
    } catch (SifrException e) {
      requireSize(access, path, bytes); // if that is the reason, it says so
      throw e;
    }
  }

  private Blocks map() {
    Path place = access.fileSystem().placeOf(path); // what cannot be read is named where it lies
    return new MappedBlocks(place, access.fileSystem().mapForRead(path, bytes));
  }

  private Blocks openToRead() {
    RandomReadFile source = mayUseCopy ? access.openToRead(path, bytes) : access.openToRead(path);
    try {
      requireSize(path, source.size(), bytes);
      return new ReadBlocks(
          path,
          source,
          access.meter(),
          access.announcesReads() ? access.fileSystem().mapForRead(path, bytes) : null);
    } catch (Throwable e) {
      source.close();
      throw e;
    }
  }

  /** Counts the file among those that are open. The caller holds no lock: others may be closed. */
  public void opened() {
    files.opened(this);
  }

  /** Size of the file, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** The open file. Callers that are in no read epoch use {@link #inUse}. */
  public Blocks blocks() {
    Blocks blocks = open;
    if (blocks != null && blocks.isMapped() == access.maps()) {
      files.used(this);
      return blocks;
    }
    return reopen();
  }

  /** Opens the file again, or in the way that is right by now. */
  private Blocks reopen() {
    Blocks before;
    Blocks opened;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException(path + " is closed");
      }
      before = open;
      if (before != null && before.isMapped() == access.maps()) {
        return before;
      }
      opened = openAgain();
      now(opened);
    }
    retire(before);
    opened();
    return opened;
  }

  private Blocks openAgain() {
    try {
      Blocks opened = open();
      health.opened();
      return opened;
    } catch (SifrException e) {
      health.failed(e);
      throw e;
    }
  }

  /** The open file, if it is mapped and read through the mapping. The caller is in an epoch. */
  public @Nullable Blocks openMapping() {
    Blocks blocks = open;
    return blocks != null && blocks.isMapped() && access.maps() ? blocks : null;
  }

  /**
   * Whether the pages of a block are in memory, as far as is known. The caller is in a read epoch.
   */
  public boolean isInMemory(IndexPart part, int block) {
    Blocks blocks = open;
    return blocks == null || blocks.isInMemory(part.offset(block), part.bytes(block));
  }

  /**
   * Has the system begin to read a block, if the file is open and it can be told to. The caller is
   * in a read epoch.
   */
  public void announce(IndexPart part, int block) {
    Blocks blocks = open;
    if (blocks != null) {
      blocks.announce(part.offset(block), part.bytes(block));
    }
  }

  /** The open file, which stays open until the caller {@link Blocks#leave}s it. */
  public Blocks inUse() {
    while (true) {
      Blocks blocks = blocks();
      if (blocks.tryUse()) {
        return blocks;
      }
    }
  }

  /** Called when too many files are open. A caller that uses the file may do so until it leaves. */
  @Override
  public void closeFile() {
    retire(take(false));
  }

  /** Drops the count of what was {@link #open} once no search can be using it. */
  private void retire(@Nullable Blocks taken) {
    if (taken != null) {
      access.openFiles().retire().accept(taken::leave);
    }
  }

  /** Closes it for good, once the last iterator has left it. Idempotent. */
  public void close() {
    Blocks last = take(true);
    files.closed(this);
    if (last != null) {
      last.leave();
    }
  }

  private synchronized @Nullable Blocks take(boolean forGood) {
    Blocks taken = open;
    now(null);
    closed |= forGood;
    return taken;
  }

  /**
   * The health of an SST: readable or not, as far as is known. Only reported and counted: each
   * access tries again, and says itself what is wrong. Thread-safe.
   */
  public static final class Health {
    private final SstFaults faults;
    private final long number;

    // All guarded by this; the first is read without.

    /** True if the last attempt to open the file failed. */
    private volatile boolean isShut;

    /** True if the index or a block was found damaged. */
    private boolean isDamaged;

    private boolean isTold;
    private boolean isCounted;

    /** Of an SST of which nothing is known. */
    public Health(SstFaults faults, long number) {
      this.faults = faults;
      this.number = number;
    }

    /** The file was opened. */
    public void opened() {
      if (isShut) {
        synchronized (this) {
          isShut = false;
          isTold = isDamaged;
          count(isDamaged);
        }
      }
    }

    /** The file could not be opened. */
    public void failed(SifrException why) {
      boolean isNews;
      synchronized (this) {
        isShut = true;
        isNews = note();
      }
      tell(isNews, why);
    }

    /** The index or a block is damaged. */
    public void damaged(SifrException why) {
      boolean isNews;
      synchronized (this) {
        isDamaged = true;
        isNews = note();
      }
      tell(isNews, why);
    }

    /** All of it was read, and is as it should be. */
    public void whole() {
      synchronized (this) {
        isShut = false;
        isDamaged = false;
        isTold = false;
        count(false);
      }
    }

    /** Something is damaged that is not needed to find any entry. */
    public void weakened(SifrException why) {
      faults.found(number, why);
    }

    /** The SST is no longer part of the store. */
    public synchronized void ended() {
      count(false);
    }

    // Guarded by this.
    private boolean note() {
      boolean isNews = !isTold;
      isTold = true;
      count(true);
      return isNews;
    }

    // Guarded by this.
    private void count(boolean counts) {
      if (counts != isCounted) {
        isCounted = counts;
        faults.count(counts ? 1 : -1);
      }
    }

    private void tell(boolean isNews, SifrException why) {
      if (isNews) {
        faults.found(number, why);
      }
    }
  }
}
