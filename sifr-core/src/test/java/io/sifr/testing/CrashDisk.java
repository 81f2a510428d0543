package io.sifr.testing;

import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory, and the kernel in front of it: it knows what each sync has made durable, and
 * tells what a power loss or the end of the process would leave.
 *
 * <p>What is durable: of a file what was synced, page by page for a mapping, and its size; of a
 * name nothing but what a sync of its directory followed. The kernel may write back more, see
 * {@link #writeBackAtRandom}. What is stored into a mapping is in the file at once.
 *
 * <p>Calls of its {@link #fileSystem} are numbered from 1. A crash can be planned for each of them,
 * see {@link #crashAt}; or a {@link Watcher} looks at the disk around each of them while the store
 * goes on. Thread-safe; calls of several threads are numbered in the order in which they happen.
 */
public final class CrashDisk {
  /** Where in a call. */
  public enum Moment {
    /** It has done nothing. */
    BEFORE,
    /**
     * It has done half of it: half of the bytes of an append or a write, half of the dirty pages of
     * a sync, half of the names of a directory's. Other calls happen wholly or not at all.
     */
    INSIDE,
    /** It has done all of it, but its caller does not know. */
    AFTER
  }

  /**
   * A call of the file system or of something it opened.
   *
   * @param number counted from 1
   * @param operation what is done, as a verb
   * @param path to what
   * @param changes whether it can change what a crash leaves; one that only reads never has an
   *     {@link Moment#INSIDE}
   */
  public record Call(long number, String operation, Path path, boolean changes) {}

  /** Is shown all calls. */
  @FunctionalInterface
  public interface Watcher {
    /** A call has come to that moment; nothing else happens on the disk meanwhile. */
    void at(Call call, Moment moment);
  }

  /** Calls that have done nothing when they fail. */
  private static final Set<String> OPENING = Set.of("create", "open", "map");

  private static final Watcher NOBODY = (call, moment) -> {};

  // All guarded by this.

  private final CrashNames<CrashFile> names;
  private final Set<Path> locked = new HashSet<>();
  private final StoreFileSystem fileSystem = new CrashFileSystem(this);
  private FileKeys keys = FileKeys.NONE;
  private long capacity = Long.MAX_VALUE;
  private long used;
  private long calls;
  private long crashCall;
  private Moment crashMoment = Moment.BEFORE;
  private @Nullable CrashPoint crashPoint;
  private int timesUntilCrash;
  private @Nullable FrozenDisk lastFrozen;
  private @Nullable FrozenDisk remains;
  private Watcher watcher = NOBODY;
  private @Nullable Random writeBack;
  private int writeBackOneIn;

  /** An empty disk. */
  public CrashDisk() {
    this(new CrashNames<>());
  }

  CrashDisk(CrashNames<CrashFile> names) {
    this.names = names;
    for (CrashFile file : names.files()) {
      used += file.isGone() ? file.size() : 0; // once, however many names it has
      file.setNamed(true);
    }
  }

  /** A disk with that directory, empty and durable. */
  public static CrashDisk with(Path directory) {
    CrashDisk disk = new CrashDisk();
    disk.fileSystem.createDirectories(directory);
    disk.syncAll();
    return disk;
  }

  /** Its file system. After a crash every call to it is a {@link SimulatedCrash}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  /**
   * Has new files be encrypted.
   *
   * @param key number of the key, 1 or 2; 0: they are not. Files of all keys can be read
   */
  public void encrypt(int key) {
    Map<Integer, byte[]> known = Map.of(1, keyOf((byte) 'a'), 2, keyOf((byte) 'b'));
    encrypt(FileKeys.of(EncryptionKeys.of(known, key)));
  }

  private static byte[] keyOf(byte letter) {
    byte[] key = new byte[EncryptionKeys.KEY_BYTES];
    Arrays.fill(key, letter);
    return key;
  }

  synchronized void encrypt(FileKeys other) {
    keys = other;
  }

  synchronized FileKeys keys() {
    return keys;
  }

  /** Calls so far. */
  public synchronized long calls() {
    return calls;
  }

  /**
   * Plans a crash. The call and all after it throw a {@link SimulatedCrash}.
   *
   * @param call number of the call
   * @param moment where in it; in a call that has no {@link Moment#INSIDE}, {@link Moment#AFTER}
   */
  public synchronized void crashAt(long call, Moment moment) {
    crashCall = call;
    crashMoment = moment;
  }

  /** Plans a crash at a point of the program, the {@code nth} time it is reached from now on. */
  public synchronized void crashAt(CrashPoint point, int nth) {
    crashPoint = point;
    timesUntilCrash = nth;
  }

  /**
   * The program has come to a point at which a crash is of interest although it makes no call
   * there. It is shown and numbered like a call.
   */
  public synchronized void reached(CrashPoint point) {
    if (point.equals(crashPoint) && --timesUntilCrash == 0) {
      crashAt(calls + 1, Moment.BEFORE);
    }
    change("reach", Path.of(point.name()), () -> point);
  }

  /** Lets somebody look at all calls from now on. */
  public synchronized void watch(Watcher watcher) {
    this.watcher = watcher;
  }

  /**
   * Lets the kernel write back dirty pages and names on its own: before one call in so many, one
   * page or all names. So pages become durable that are older than what a crash finds.
   */
  public synchronized void writeBackAtRandom(Random random, int oneCallIn) {
    writeBack = random;
    writeBackOneIn = oneCallIn;
  }

  /** Bytes all files together can have. */
  public synchronized void setCapacity(long bytes) {
    capacity = bytes;
  }

  /** Bytes of all files, those included that are deleted but open. */
  public synchronized long usedBytes() {
    return used;
  }

  /** Makes everything durable. */
  public synchronized void syncAll() {
    names.files().forEach(CrashFile::sync);
    names.syncAll();
  }

  /** The disk as it is now; it goes on. The same object as long as the disk is the same. */
  public synchronized FrozenDisk freeze() {
    if (remains != null) {
      return remains;
    }
    FrozenDisk now = FrozenDisk.of(names, capacity, keys);
    if (lastFrozen == null || !now.isSame(lastFrozen)) {
      lastFrozen = now;
    }
    return lastFrozen;
  }

  /**
   * The moment of the crash: whatever is called or stored from now on comes too late. Returns what
   * crashes are drawn from; the same when it is called again.
   */
  public synchronized FrozenDisk stop() {
    remains = freeze();
    return remains;
  }

  /** Whether it has crashed. */
  public synchronized boolean isStopped() {
    return remains != null;
  }

  /** What a power loss may leave, now or when it was stopped, see {@link FrozenDisk#crash}. */
  public CrashDisk crash(Random random) {
    return freeze().crash(random);
  }

  /**
   * What the end of the process leaves, now or when it was stopped, see {@link FrozenDisk#kill}.
   */
  public CrashDisk kill() {
    return freeze().kill();
  }

  /** Copies all files beneath a real directory: to look at what a failed test has left. */
  public synchronized void copyTo(Path target) {
    try {
      for (Path name : names.names()) {
        CrashFile file = names.get(name);
        if (file != null && !file.isDirectory()) {
          byte[] content = new byte[file.size()];
          file.read(ByteBuffer.wrap(content), 0);
          Path copy = target.resolve(String.valueOf(name.getRoot().relativize(name)));
          Files.createDirectories(copy.getParent());
          Files.write(copy, content);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // For its file system, which holds the monitor.

  /** One name for a file, however it is spelled. */
  static Path key(Path path) {
    return path.toAbsolutePath().normalize();
  }

  CrashNames<CrashFile> names() {
    return names;
  }

  Set<Path> locked() {
    return locked;
  }

  long freeBytes() {
    return Math.max(0, capacity - used);
  }

  /** Writes as much as there is space for. */
  void write(Path path, CrashFile file, byte[] source, int offset, int length, int position) {
    long growth = Math.max(0, (long) position + length - file.size());
    long free = freeBytes();
    int fitting = (int) (growth <= free ? length : length - growth + free);
    used += Math.min(growth, free);
    file.write(source, offset, fitting, position);
    if (fitting < length) {
      throw new StoreFullException(path, "write", new IOException("No space left on device"));
    }
  }

  /** A file has lost its name or was closed. */
  void freeIfGone(CrashFile file) {
    if (file.isGone()) {
      used -= file.size();
    }
  }

  /** A crash is over for everybody. */
  void checkAlive() {
    if (remains != null) {
      throw new SimulatedCrash("the disk has crashed");
    }
  }

  /** What a call does. */
  interface Body<T> {
    T run() throws IOException;
  }

  /** Does a call that changes nothing that a crash leaves. */
  <T> T look(String operation, Path path, Body<T> body) {
    return call(operation, path, false, null, body);
  }

  /** Does a call that happens wholly or not at all. */
  <T> T change(String operation, Path path, Body<T> body) {
    return call(operation, path, true, null, body);
  }

  /** Does a call that can be half done. */
  <T> T change(String operation, Path path, Body<?> firstHalf, Body<T> rest) {
    return call(operation, path, true, firstHalf, rest);
  }

  private synchronized <T> T call(
      String operation, Path path, boolean changes, @Nullable Body<?> half, Body<T> rest) {
    checkAlive();
    calls++;
    writeBackSome();
    Call call = new Call(calls, operation, path, changes);
    at(call, Moment.BEFORE);
    try {
      if (half != null) {
        half.run();
        at(call, Moment.INSIDE);
      }
      T result = rest.run();
      at(call, Moment.AFTER);
      return result;
    } catch (IOException e) {
      throw OPENING.contains(operation)
          ? new FileNotOpenedException(path, operation, e)
          : new StoreIoException(path, operation, e);
    }
  }

  private void writeBackSome() {
    Random random = writeBack;
    if (random == null || random.nextInt(writeBackOneIn) > 0) {
      return;
    }
    List<CrashFile> dirty = names.files().stream().filter(CrashFile::mayBeDirty).toList();
    int choice = random.nextInt(dirty.size() + 1);
    if (choice == dirty.size()) {
      names.syncAll();
    } else {
      dirty.get(choice).writeBackOne(random);
    }
  }

  private void at(Call call, Moment moment) {
    watcher.at(call, moment);
    boolean due =
        call.number() > crashCall
            || (call.number() == crashCall && moment.compareTo(crashMoment) >= 0);
    if (crashCall > 0 && due) {
      stop();
      throw new SimulatedCrash(
          "planned: "
              + moment
              + " call "
              + call.number()
              + ", "
              + call.operation()
              + " "
              + call.path());
    }
  }
}
