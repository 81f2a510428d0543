package io.sifr.testing;

import com.google.common.collect.Sets;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Fails the n-th call of a kind on matching paths, once or from then on, with the exceptions the
 * disk's file system would throw; and counts the calls of each kind. A failing {@link
 * Operation#APPEND} or {@link Operation#WRITE} has written the first half of its bytes; every other
 * failing call has done nothing. Thread-safe.
 */
public final class FaultyFileSystem extends ForwardingFileSystem {
  /** The kinds of calls, those on open files included. */
  public enum Operation {
    CREATE_DIRECTORIES,
    REAL_PATH,
    LIST,
    EXISTS,
    SIZE,
    CREATE,
    /** {@link AppendFile#append}. */
    APPEND,
    /** {@link AppendFile#sync} and {@link RandomWriteFile#sync}. */
    SYNC,
    /** Of any kind of file, region or lock; the resource itself is closed all the same. */
    CLOSE,
    OPEN_FOR_READ,
    /** {@link RandomReadFile#readFully}. */
    READ,
    OPEN_FOR_WRITE,
    /** {@link RandomWriteFile#write}. */
    WRITE,
    MAP_FOR_READ,
    MAP_FOR_WRITE,
    /** {@link MappedRegion#force}. */
    FORCE,
    /** Matched by the source's path. */
    RENAME,
    /** Matched by the path of the new name. */
    LINK,
    DELETE,
    SYNC_DIRECTORY,
    USABLE_BYTES,
    LOCK
  }

  /** The kinds of calls that open something. A read opens a file again that was closed. */
  public static final Set<Operation> OPENING =
      Sets.immutableEnumSet(
          Operation.CREATE,
          Operation.OPEN_FOR_READ,
          Operation.READ,
          Operation.OPEN_FOR_WRITE,
          Operation.MAP_FOR_READ,
          Operation.MAP_FOR_WRITE,
          Operation.SYNC_DIRECTORY);

  /** What the device says. */
  public enum Fault {
    /** The device failed: a {@link StoreIoException}; of reads an {@link UnreadableException}. */
    EIO("Input/output error"),
    /** The process has too many files open: a {@link FileNotOpenedException} if any is opened. */
    EMFILE("Too many open files"),
    /** No space: a {@link StoreFullException}. */
    ENOSPC("No space left on device");

    private final String message;

    Fault(String message) {
      this.message = message;
    }

    private StoreIoException exception(Path file, Operation operation) {
      IOException cause = new IOException(message);
      if (this == ENOSPC) {
        return new StoreFullException(file, operation.name(), cause);
      } else if (this == EMFILE && OPENING.contains(operation)) {
        return new FileNotOpenedException(file, operation.name(), cause);
      }
      return new StoreIoException(file, operation.name(), cause);
    }
  }

  /** Matches every path. */
  public static final Predicate<Path> ANY_PATH = path -> true;

  private record Rule(
      Set<Operation> operations,
      Predicate<Path> path,
      Fault fault,
      int faults,
      AtomicInteger callsUntilFault) {
    boolean strikes(Operation called, Path file) {
      if (!operations.contains(called) || !path.test(file)) {
        return false;
      }
      int left = callsUntilFault.decrementAndGet();
      return left <= 0 && left > -faults;
    }
  }

  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final Map<Operation, AtomicLong> calls = new EnumMap<>(Operation.class);

  public FaultyFileSystem(StoreFileSystem delegate) {
    super(delegate);
    for (Operation operation : Operation.values()) {
      calls.put(operation, new AtomicLong());
    }
  }

  /** Lets the {@code nth} such call from now on fail (1: the next one), and only that. */
  public void failOnce(Operation operation, Predicate<Path> path, int nth, Fault fault) {
    rules.add(new Rule(Set.of(operation), path, fault, 1, new AtomicInteger(nth)));
  }

  /**
   * Lets the process run out of descriptors: from the {@code nth} call from now on that opens
   * anything, so many of them fail.
   */
  public void lackDescriptors(int nth, int faults) {
    rules.add(new Rule(OPENING, ANY_PATH, Fault.EMFILE, faults, new AtomicInteger(nth)));
  }

  /** Lets the {@code nth} such call from now on fail (1: the next one), and all after it. */
  public void failForGood(Operation operation, Predicate<Path> path, int nth, Fault fault) {
    rules.add(new Rule(Set.of(operation), path, fault, Integer.MAX_VALUE, new AtomicInteger(nth)));
  }

  /** Lets nothing fail any more. */
  public void heal() {
    rules.clear();
  }

  /** How many such calls there were, failed ones included. */
  public long calls(Operation operation) {
    return counter(operation).get();
  }

  private AtomicLong counter(Operation operation) {
    AtomicLong counter = calls.get(operation);
    if (counter == null) {
      throw new AssertionError("no counter of " + operation);
    }
    return counter;
  }

  private void before(Operation operation, Path file) {
    before(operation, file, () -> {});
  }

  private void before(Operation operation, Path file, Runnable partOfIt) {
    Fault fault = fault(operation, file);
    if (fault != null) {
      partOfIt.run();
      throw fault.exception(file, operation);
    }
  }

  private @Nullable Fault fault(Operation operation, Path file) {
    counter(operation).incrementAndGet();
    for (Rule rule : rules) {
      if (rule.strikes(operation, file)) {
        return rule.fault();
      }
    }
    return null;
  }

  @Override
  public void createDirectories(Path directory) {
    before(Operation.CREATE_DIRECTORIES, directory);
    super.createDirectories(directory);
  }

  @Override
  public Path realPath(Path directory) {
    before(Operation.REAL_PATH, directory);
    return super.realPath(directory);
  }

  @Override
  public List<String> list(Path directory) {
    before(Operation.LIST, directory);
    return super.list(directory);
  }

  @Override
  public boolean exists(Path file) {
    before(Operation.EXISTS, file);
    return super.exists(file);
  }

  @Override
  public long size(Path file) {
    before(Operation.SIZE, file);
    return super.size(file);
  }

  @Override
  public AppendFile create(Path file) {
    before(Operation.CREATE, file);
    return new FaultyAppendFile(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    before(Operation.CREATE, file);
    return new FaultyAppendFile(file, super.createDirect(file));
  }

  @Override
  public RandomReadFile openForRead(Path file) {
    before(Operation.OPEN_FOR_READ, file);
    return new FaultyRandomReadFile(file, super.openForRead(file));
  }

  @Override
  public RandomReadFile openForDirectRead(Path file) {
    before(Operation.OPEN_FOR_READ, file);
    return new FaultyRandomReadFile(file, super.openForDirectRead(file));
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    before(Operation.OPEN_FOR_WRITE, file);
    return new FaultyRandomWriteFile(file, super.openForWrite(file, size));
  }

  @Override
  public RandomWriteFile openToGrow(Path file) {
    before(Operation.OPEN_FOR_WRITE, file);
    return new FaultyRandomWriteFile(file, super.openToGrow(file));
  }

  @Override
  public MappedRegion mapForRead(Path file, long size) {
    before(Operation.MAP_FOR_READ, file);
    return new FaultyMappedRegion(file, super.mapForRead(file, size));
  }

  @Override
  public MappedRegion mapForWrite(Path file, long size) {
    before(Operation.MAP_FOR_WRITE, file);
    return new FaultyMappedRegion(file, super.mapForWrite(file, size));
  }

  @Override
  public void rename(Path source, Path target) {
    before(Operation.RENAME, source);
    super.rename(source, target);
  }

  /** The directory is opened first and synced last. */
  @Override
  public void renameDurably(Path directory, String source, String target) {
    Fault ofSync = fault(Operation.SYNC_DIRECTORY, directory);
    if (ofSync == Fault.EMFILE) {
      throw ofSync.exception(directory, Operation.SYNC_DIRECTORY);
    }
    rename(directory.resolve(source), directory.resolve(target));
    if (ofSync != null) {
      throw ofSync.exception(directory, Operation.SYNC_DIRECTORY);
    }
    super.syncDirectory(directory);
  }

  @Override
  public boolean link(Path file, Path second) {
    before(Operation.LINK, second);
    return super.link(file, second);
  }

  @Override
  public void delete(Path file) {
    before(Operation.DELETE, file);
    super.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) {
    before(Operation.SYNC_DIRECTORY, directory);
    super.syncDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) {
    before(Operation.USABLE_BYTES, directory);
    return super.usableBytes(directory);
  }

  @Override
  public DirectoryLock lock(Path directory, String lockFileName) {
    before(Operation.LOCK, directory);
    return new FaultyDirectoryLock(directory, super.lock(directory, lockFileName));
  }

  private final class FaultyDirectoryLock extends ForwardingDirectoryLock {
    private final Path directory;

    FaultyDirectoryLock(Path directory, DirectoryLock delegate) {
      super(delegate);
      this.directory = directory;
    }

    @Override
    public void close() {
      super.close();
      before(Operation.CLOSE, directory);
    }
  }

  @Override
  public DirectoryLock lockForReading(Path directory, String lockFileName) {
    before(Operation.LOCK, directory);
    return super.lockForReading(directory, lockFileName);
  }

  private final class FaultyAppendFile extends ForwardingAppendFile {
    private final Path file;

    FaultyAppendFile(Path file, AppendFile delegate) {
      super(delegate);
      this.file = file;
    }

    @Override
    public void append(ByteBuffer source) {
      ByteBuffer half = source.slice(source.position(), source.remaining() / 2);
      before(Operation.APPEND, file, () -> super.append(half));
      super.append(source);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      before(Operation.APPEND, file, () -> super.append(source, offset, length / 2));
      super.append(source, offset, length);
    }

    @Override
    public void sync() {
      before(Operation.SYNC, file);
      super.sync();
    }

    @Override
    public void close() {
      super.close();
      before(Operation.CLOSE, file);
    }
  }

  private final class FaultyRandomReadFile extends ForwardingRandomReadFile {
    private final Path file;

    FaultyRandomReadFile(Path file, RandomReadFile delegate) {
      super(delegate);
      this.file = file;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      try {
        before(Operation.READ, file);
      } catch (StoreFullException | FileNotOpenedException e) {
        throw e;
      } catch (StoreIoException e) {
        throw new UnreadableException(file, position, Objects.requireNonNull(e.getCause()));
      }
      super.readFully(target, position);
    }

    @Override
    public void close() {
      super.close();
      before(Operation.CLOSE, file);
    }
  }

  private final class FaultyRandomWriteFile extends ForwardingRandomWriteFile {
    private final Path file;

    FaultyRandomWriteFile(Path file, RandomWriteFile delegate) {
      super(delegate);
      this.file = file;
    }

    @Override
    public void write(byte[] source, int offset, int length, long position) {
      before(Operation.WRITE, file, () -> super.write(source, offset, length / 2, position));
      super.write(source, offset, length, position);
    }

    @Override
    public void sync() {
      before(Operation.SYNC, file);
      super.sync();
    }

    @Override
    public void close() {
      super.close();
      before(Operation.CLOSE, file);
    }
  }

  private final class FaultyMappedRegion extends ForwardingMappedRegion {
    private final Path file;

    FaultyMappedRegion(Path file, MappedRegion delegate) {
      super(delegate);
      this.file = file;
    }

    @Override
    public void force(int from, int length) {
      before(Operation.FORCE, file);
      super.force(from, length);
    }

    @Override
    public void close() {
      super.close();
      before(Operation.CLOSE, file);
    }
  }
}
