package io.sifr.internal.volume;

import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory on another device, in which a store has SSTs: those of its first stage, its rows
 * (MatrixKV, §3.1), on a fast one, with its log; those of last stages on a cold one. As long as it
 * is full or fails, new files are created in the store's directory.
 *
 * <p>Thread-safe.
 */
final class SideDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(SideDirectory.class);

  /** Files that are always in the store's directory. */
  private static final List<FileKind> OF_THE_STORE =
      List.of(FileKind.MANIFEST, FileKind.VALUES, FileKind.TAIL);

  /** The part of what may be used that is filled: a compaction needs some time to begin. */
  private static final double MOST_USED = 0.9;

  /** For how long nothing is written there after a failure. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final StoreFileSystem disk;
  private final Tier tier;
  private final Path path;
  private final Limits limits;

  /** Held while names are made durable: who finds nothing to sync must not be earlier than that. */
  private final Object syncing = new Object();

  /**
   * Files whose names may not be durable. Those that are deleted are none of them, so a device that
   * is gone stops only who needs what is there.
   */
  private final Set<Path> unsynced = ConcurrentHashMap.newKeySet();

  /** Names that a sync has failed for. Guarded by syncing. */
  private final Set<Path> doubtful = new HashSet<>();

  /** Why the last of them has. Guarded by syncing. */
  private @Nullable StoreIoException syncFailure;

  /**
   * The names of SSTs that were seen in it. One that is deleted while names are listed may stay: no
   * number is used twice.
   */
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  private volatile boolean isListed;

  /** Bytes of SSTs that were written in it. */
  private final LongAdder written = new LongAdder();

  private boolean hasFailed; // guarded by this

  /** When it failed last, if it did. Guarded by this. */
  private long failedAt;

  private final Use ssts = new Use("SSTs");
  private final Use log = new Use("log segments");

  /**
   * Limits on what is created in a directory.
   *
   * @param mostBytes how many bytes of SSTs; 0: none are added
   * @param flushBytes about as many as a flush writes; with less left, its device is full
   * @param hasLog whether segments of the log may
   */
  record Limits(long mostBytes, long flushBytes, boolean hasLog) {
    /** Nothing is added. */
    static final Limits NONE = new Limits(0, 0, false);
  }

  /**
   * @param path the directory, as a real path
   */
  SideDirectory(StoreFileSystem disk, Tier tier, Path path, Limits limits) {
    this.disk = disk;
    this.tier = tier;
    this.path = path;
    this.limits = limits;
  }

  Tier tier() {
    return tier;
  }

  Path path() {
    return path;
  }

  /** The names of the files that the store has in it. */
  List<String> names() {
    List<String> names = names(disk, path);
    names.stream().filter(SideDirectory::isSst).forEach(seen::add);
    isListed = true;
    return names;
  }

  /**
   * Whether an SST lies in it that some forest has. It stays where it was created, so the device is
   * not asked again: figures are taken often, also of one that is slow or gone.
   */
  boolean has(String sst) {
    if (!isListed) {
      names();
    }
    return seen.contains(sst);
  }

  /** Bytes of SSTs that were written in it since the store was opened. */
  long writtenBytes() {
    return written.sum();
  }

  private static boolean isSst(String name) {
    return FileKind.SST.numberOf(name).isPresent();
  }

  /** The names of the files that a store has in such a directory. */
  static List<String> names(StoreFileSystem disk, Path path) {
    return disk.list(path).stream().filter(SideDirectory::isNumbered).toList();
  }

  /** Whether a file may be one of those that a store numbers. */
  private static boolean isNumbered(String name) {
    return !name.isEmpty() && '0' <= name.charAt(0) && name.charAt(0) <= '9';
  }

  /**
   * Whether a store may have a file in such a directory: so it is not asked for others, since it
   * may be gone.
   */
  static boolean mayHave(String name) {
    return isNumbered(name)
        && OF_THE_STORE.stream().noneMatch(kind -> kind.numberOf(name).isPresent());
  }

  /** Whether a user wants it, so that files may be added and stay. */
  boolean isWanted() {
    return limits.mostBytes > 0;
  }

  /** Whether the next SST should lie here. */
  boolean takesSsts() {
    return isWanted() && ssts.isTaken(reasonNot(this::reasonAgainstSst));
  }

  /**
   * Whether the next segment of the log should lie here. Segments do not count in what may be used:
   * there are about as many bytes of them as write buffers hold.
   */
  boolean takesLog(long bytes) {
    return isWanted() && limits.hasLog && log.isTaken(reasonNot(() -> reasonOfDevice(bytes)));
  }

  /** Why it takes no more of something; empty if it does. */
  private String reasonNot(Supplier<String> reason) {
    synchronized (this) {
      if (hasFailed && System.nanoTime() - failedAt < PAUSE_NANOS) {
        return "it has failed";
      }
    }
    try {
      return reason.get();
    } catch (SifrException e) {
      failed();
      return String.valueOf(e.getMessage());
    }
  }

  private String reasonAgainstSst() {
    long used = tier == Tier.FAST ? usedBytes() : 0;
    return used + limits.flushBytes > MOST_USED * limits.mostBytes
        ? used + " of " + limits.mostBytes + " bytes are used"
        : reasonOfDevice(0);
  }

  private String reasonOfDevice(long bytes) {
    if (isGone()) {
      return "it is gone, or not mounted"; // what is created there would be hidden once it is back
    }
    return disk.usableBytes(path) < bytes + 2 * limits.flushBytes ? "its device is full" : "";
  }

  private long usedBytes() {
    long used = 0;
    for (String name : names()) {
      if (isSst(name)) {
        used += sizeOf(name);
      }
    }
    return used;
  }

  /** Bytes of a file; 0 if it was deleted meanwhile. */
  private long sizeOf(String name) {
    Path file = path.resolve(name);
    try {
      return disk.size(file);
    } catch (SifrException e) {
      if (disk.exists(file)) {
        throw e;
      }
      return 0;
    }
  }

  /** Something that it takes, and of which it says when that changes. */
  private final class Use {
    private final String things;
    private boolean isTaken = true; // guarded by this

    Use(String things) {
      this.things = things;
    }

    synchronized boolean isTaken(String reason) {
      if (isTaken != reason.isEmpty()) {
        isTaken = reason.isEmpty();
        if (isTaken) {
          LOG.info("the {} {} takes {} again", tier.role(), path, things);
        } else {
          LOG.warn("the {} {} takes no {} for now: {}", tier.role(), path, things, reason);
        }
      }
      return isTaken;
    }
  }

  /** Nothing is created in it for a while. */
  synchronized void failed() {
    hasFailed = true;
    failedAt = System.nanoTime();
  }

  /** Creates a file in it. What fails is tried again in the store's directory. */
  AppendFile create(Path file) {
    return created(file, () -> disk.create(file));
  }

  /** As above, with {@link StoreFileSystem#createDirect}. */
  AppendFile createDirect(Path file) {
    return created(file, () -> disk.createDirect(file));
  }

  private AppendFile created(Path file, Supplier<AppendFile> creation) {
    String name = String.valueOf(file.getFileName());
    boolean isSst = isSst(name);
    AppendFile created = watched(() -> new Watched(creation.get(), isSst));
    if (isSst) {
      seen.add(name);
    }
    unsynced.add(file); // only now, as a sync that came before may not have reached the name
    return created;
  }

  /** Renames a file in it. */
  void rename(Path source, Path target) {
    unsynced.remove(source);
    unsynced.add(
        watched(
            () -> {
              disk.rename(source, target);
              return target;
            }));
  }

  /** Deletes a file in it. */
  void delete(Path file) {
    unsynced.remove(file);
    disk.delete(file);
    seen.remove(String.valueOf(file.getFileName()));
  }

  /** Does something there, and notes when it fails. */
  <T> T watched(Supplier<T> action) {
    try {
      return action.get();
    } catch (RuntimeException | Error e) {
      failed();
      throw e;
    }
  }

  /** Whether an SST was seen in it: it lies nowhere else. */
  boolean hasSeen(String sst) {
    return seen.contains(sst);
  }

  /** Whether a file is there. An SST that was seen is not merely missing if its device is gone. */
  boolean exists(Path file) {
    boolean exists = read(file, () -> disk.exists(file));
    if (!exists && hasSeen(String.valueOf(file.getFileName())) && isGone()) {
      throw gone(file, new NoSuchFileException(file.toString()));
    }
    return exists;
  }

  /** Reads something of a file. */
  <T> T read(Path file, Supplier<T> action) {
    try {
      return action.get();
    } catch (StoreIoException e) {
      throw isGone() ? gone(file, e) : e;
    }
  }

  /** Whether it is not there as it was when the store was opened, or nothing can be read in it. */
  private boolean isGone() {
    try {
      return !disk.exists(path.resolve(VolumeMark.OWNER));
    } catch (StoreIoException e) {
      return true;
    }
  }

  private UnreadableException gone(Path file, Exception why) {
    return new UnreadableException(
        file,
        0,
        new IOException(
            "the "
                + tier.role()
                + " "
                + path
                + " is gone or cannot be read: see to its device or its mount. What lies there can be"
                + " read again once it is back, without opening the store anew ("
                + why.getMessage()
                + ")",
            why));
  }

  /**
   * Makes the names in it durable, if any have changed.
   *
   * @throws StoreIoException also when that has failed before for names that are still there: the
   *     device might say that all is well the next time, although they are lost
   */
  void sync() {
    synchronized (syncing) {
      List<Path> files = List.copyOf(unsynced);
      StoreIoException before = syncFailure;
      if (before != null && files.stream().anyMatch(doubtful::contains)) {
        throw before.again();
      }
      if (!files.isEmpty()) {
        syncNames(files);
        files.forEach(unsynced::remove);
      }
    }
  }

  /** Guarded by syncing. */
  private void syncNames(List<Path> files) {
    try {
      disk.syncDirectory(path);
    } catch (StoreFullException | FileNotOpenedException e) {
      throw e; // nothing was tried
    } catch (StoreIoException e) {
      syncFailure = e;
      doubtful.addAll(files);
      failed();
      throw e;
    }
  }

  /** Notes that a write has failed, and counts bytes of SSTs. */
  private final class Watched implements AppendFile {
    private final AppendFile file;
    private final boolean isSst;

    Watched(AppendFile file, boolean isSst) {
      this.file = file;
      this.isSst = isSst;
    }

    @Override
    public void append(ByteBuffer source) {
      int length = source.remaining();
      watch(() -> file.append(source));
      count(length);
    }

    private void count(int length) {
      if (isSst) {
        written.add(length);
      }
    }

    @Override
    public long position() {
      return file.position();
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      watch(() -> file.append(source, offset, length));
      count(length);
    }

    @Override
    public void sync() {
      watch(file::sync);
    }

    private void watch(Runnable call) {
      try {
        call.run();
      } catch (RuntimeException | Error e) {
        failed();
        throw e;
      }
    }

    @Override
    public void close() {
      watch(file::close);
    }
  }
}
