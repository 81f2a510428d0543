package io.sifr.internal.value;

import static com.google.common.base.Preconditions.checkState;

import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Failures;
import io.sifr.internal.value.ValueWriter.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The value files that puts write, before they are in the log: a file has values of one database,
 * put after put, until it has {@value #FILE_BYTES} bytes or a flush needs it. Each put has a file
 * for itself while it writes; so puts of several threads write to several files, none waits for
 * another. One that may take long has a new file, to which nothing refers: so neither a flush nor a
 * close waits for it.
 *
 * <p>A file is {@link #sync synced} before the log is that refers to it, and {@link #finish
 * finished} before an SST refers to it: from then on it never changes. Thread-safe.
 */
public final class OpenValueFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenValueFiles.class);

  static final long FILE_BYTES = 64 << 20;

  /** The sequence number of a put is not known when its value is written. */
  private static final long UNKNOWN = 0;

  private final ValueFiles files;
  private final LongSupplier numbers;
  private final LongSupplier uniqueIds;

  /** By number, those that are not finished. Guarded by this. */
  private final Map<Long, OpenFile> open = new TreeMap<>();

  /** Held while a file is created, which none is after the close. Taken before this. */
  private final Object beginning = new Object();

  /** Guarded by beginning. */
  private boolean isClosed;

  private final Object syncing = new Object();

  /** Of the first sync that has failed: none may be tried again. Guarded by syncing. */
  private @Nullable RuntimeException failure;

  /** One file. Its fields are guarded by the object that it belongs to. */
  private static final class OpenFile {
    private final int databaseId;
    private final ValueWriter writer;

    /** Whether the put that begins it may take long. */
    private final boolean mayTakeLong;

    private boolean isInUse = true;

    /** True if the close has left it to the put that uses it. */
    private boolean isLeft;

    /** True if no more values are added. */
    private boolean isFull;

    /** Grows with what is written of values; 0 if there is no whole one. */
    private long written;

    private long synced;
    private boolean isNameDurable;

    OpenFile(int databaseId, ValueWriter writer, boolean mayTakeLong) {
      this.databaseId = databaseId;
      this.writer = writer;
      this.mayTakeLong = mayTakeLong;
    }

    /** Whether somebody writes the first value, and may take long. */
    boolean isTakingLong() {
      return mayTakeLong && isInUse && written == 0;
    }
  }

  /**
   * @param numbers source of file numbers, none twice
   * @param uniqueIds source of random ids
   */
  public OpenValueFiles(ValueFiles files, LongSupplier numbers, LongSupplier uniqueIds) {
    this.files = files;
    this.numbers = numbers;
    this.uniqueIds = uniqueIds;
  }

  /** Where the values are read. */
  public ValueFiles files() {
    return files;
  }

  /**
   * Writes a value, so that a killed process does not lose it. The caller holds its file when this
   * returns, and {@linkplain #letGo lets go} of it. When it fails, nothing is left, or garbage in a
   * file that has other values.
   *
   * @param mayTakeLong whether the content may be long in coming: then nobody waits for its file
   * @param due when it expires
   * @throws IllegalStateException if this is closed
   */
  public Reference put(
      int databaseId,
      BlockCodec codec,
      boolean mayTakeLong,
      byte[] key,
      long due,
      int length,
      Content content) {
    OpenFile file = mayTakeLong ? null : idle(databaseId);
    if (file == null) {
      file = begin(databaseId, codec, mayTakeLong);
    }
    Reference written;
    try {
      int kind = due == ExpiringKind.NEVER ? EntryKind.CODE_OF_PUT : ExpiringKind.CODE;
      written = file.writer.add(Trailer.of(UNKNOWN, kind), due, key, length, content);
      file.writer.flush();
      files.hold(written.file());
      written(file);
    } catch (RuntimeException | Error e) {
      try {
        giveBack(file, false);
      } catch (SifrException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
    giveBack(file, true);
    return written;
  }

  private synchronized @Nullable OpenFile idle(int databaseId) {
    for (OpenFile file : open.values()) {
      if (file.databaseId == databaseId && !file.isInUse && !file.isFull) {
        file.isInUse = true;
        return file;
      }
    }
    return null;
  }

  private OpenFile begin(int databaseId, BlockCodec codec, boolean mayTakeLong) {
    synchronized (beginning) {
      checkState(!isClosed, "the store is closed");
      long number = numbers.getAsLong();
      ValueWriter writer = files.create(number, uniqueIds.getAsLong(), databaseId, codec);
      OpenFile begun = new OpenFile(databaseId, writer, mayTakeLong);
      synchronized (this) {
        open.put(number, begun);
      }
      return begun;
    }
  }

  private synchronized void written(OpenFile file) {
    file.written = file.writer.bytes();
  }

  /**
   * @param mayGoOn if not, nothing is added any more: what is left of a value must not follow
   *     another one. It becomes durable with the others, since a power failure would leave some of
   *     its pages, which are no part of a value
   */
  private void giveBack(OpenFile file, boolean mayGoOn) {
    boolean isLeft;
    synchronized (this) {
      isLeft = file.isLeft;
      file.isInUse = false;
      file.isFull |= !mayGoOn || file.writer.bytes() >= FILE_BYTES;
      if (!mayGoOn && file.written > 0) {
        file.written++;
      }
      notifyAll();
    }
    if (isLeft) {
      file.writer.close();
    } else if (!mayGoOn) {
      closeFull();
    }
  }

  /** Lets go of a file. If that leaves none of its values in use, it is deleted. */
  public void letGo(long number) {
    files.letGo(number);
    if (isDiscarded(number)) {
      closeFull();
    }
  }

  private synchronized boolean isDiscarded(long number) {
    OpenFile file = open.get(number);
    if (file == null || file.isInUse || !files.isHeldOnce(number)) {
      return false;
    }
    discard(file);
    return true;
  }

  /**
   * Makes all values durable that were put before the call, with the names of their files.
   *
   * @throws FileNotOpenedException if a descriptor is lacking: it may be tried again
   * @throws SifrException if it fails now, or has failed before
   */
  public void sync() {
    synchronized (syncing) {
      if (failure != null) {
        throw failure;
      }
      try {
        syncAll(unsynced());
      } catch (FileNotOpenedException e) {
        throw e; // nothing has failed yet, and it may be tried again
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
  }

  private void syncAll(List<OpenFile> unsynced) {
    if (unsynced.stream().anyMatch(file -> !file.isNameDurable)) {
      files.fileSystem().syncDirectory(files.directory());
      unsynced.forEach(file -> file.isNameDurable = true);
    }
    for (OpenFile file : unsynced) {
      long written = bytesWritten(file);
      file.writer.sync();
      synced(file, written);
    }
    closeFull();
  }

  private synchronized List<OpenFile> unsynced() {
    return open.values().stream().filter(file -> file.written > file.synced).toList();
  }

  private synchronized long bytesWritten(OpenFile file) {
    return file.written;
  }

  private synchronized void synced(OpenFile file, long bytes) {
    file.synced = bytes;
  }

  /**
   * Closes those that are full and durable. Nothing is lost if one cannot be closed, or not be
   * deleted, so that stops nobody.
   */
  private void closeFull() {
    synchronized (syncing) {
      List<OpenFile> full = new ArrayList<>();
      synchronized (this) {
        open.values().stream()
            .filter(file -> file.isFull && !file.isInUse && file.written == file.synced)
            .forEach(full::add);
        full.forEach(file -> open.remove(file.writer.number()));
      }
      for (OpenFile file : full) {
        tell(file.writer::close);
        tell(() -> files.letGo(file.writer.number()));
      }
    }
  }

  private static void tell(Runnable call) {
    try {
      call.run();
    } catch (SifrException e) {
      LOG.warn("a value file that is complete stays open, or in the way: {}", e.getMessage());
    }
  }

  /**
   * Has nothing added to some files any more, and makes them durable; others may be among them.
   *
   * @throws io.sifr.error.SifrException as {@link #sync}
   */
  public void finish(Set<Long> numbers) {
    if (endOf(numbers)) {
      sync();
    }
  }

  /** Returns whether one of them was open. */
  private synchronized boolean endOf(Set<Long> numbers) {
    boolean isOpen = false;
    for (long number : numbers) {
      OpenFile file = open.get(number);
      if (file != null) {
        isOpen = true;
        file.isFull = true;
        awaitIdle(file);
      }
    }
    return isOpen;
  }

  /** Waits as long as one value is written. */
  private synchronized void awaitIdle(OpenFile file) {
    boolean isInterrupted = false;
    while (file.isInUse) {
      try {
        wait();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Has nothing added to the files of a database that was dropped. */
  public void endAll(int databaseId) {
    synchronized (this) {
      open.values().stream()
          .filter(file -> file.databaseId == databaseId)
          .forEach(OpenValueFiles::discard);
    }
    closeFull();
  }

  /** Nobody needs what is in a file; called with the lock of this. */
  private static void discard(OpenFile file) {
    file.isFull = true;
    file.synced = file.written;
  }

  /**
   * Closes all files without {@linkplain #sync syncing} them. Deletes those of puts that may take
   * long and are not done: these puts fail soon, and close them.
   */
  @Override
  public void close() {
    synchronized (beginning) {
      isClosed = true;
    }
    Failures failures = new Failures();
    synchronized (this) {
      for (OpenFile file : List.copyOf(open.values())) {
        file.isLeft = file.isTakingLong();
        if (file.isLeft) {
          failures.collect(() -> files.letGo(file.writer.number()));
        } else {
          awaitIdle(file);
          failures.collect(file.writer::close);
        }
      }
      open.clear();
    }
    failures.throwFirst();
  }
}
