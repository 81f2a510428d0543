package io.sifr.internal.value;

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

/**
 * The value files that puts write, before they are in the log: a file has values of one database,
 * put after put, until it has {@value #FILE_BYTES} bytes or a flush needs it. Each put has a file
 * for itself while it writes; so puts of several threads write to several files, none waits for
 * another.
 *
 * <p>A file is {@link #sync synced} before the log is that refers to it, and {@link #finish
 * finished} before an SST refers to it: from then on it never changes. Thread-safe.
 */
public final class OpenValueFiles implements AutoCloseable {
  static final long FILE_BYTES = 64 << 20;

  /** The sequence number of a put is not known when its value is written. */
  private static final long UNKNOWN = 0;

  private final ValueFiles files;
  private final LongSupplier numbers;
  private final LongSupplier uniqueIds;

  /** By number, those that are not finished. Guarded by this. */
  private final Map<Long, OpenFile> open = new TreeMap<>();

  private final Object syncing = new Object();

  /** Of the first sync that has failed: none may be tried again. Guarded by syncing. */
  private @Nullable RuntimeException failure;

  /** One file. Its fields are guarded by the object that it belongs to. */
  private static final class OpenFile {
    private final int databaseId;
    private final ValueWriter writer;
    private boolean isInUse = true;

    /** True if no more values are added. */
    private boolean isFull;

    /** Bytes up to the end of its last value. */
    private long written;

    private long synced;
    private boolean isNameDurable;

    OpenFile(int databaseId, ValueWriter writer) {
      this.databaseId = databaseId;
      this.writer = writer;
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
   * returns. When it fails, nothing is left.
   *
   * @param mayTakeLong whether the content may be long in coming: then nobody waits for its file
   * @param due when it expires
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
      file = begin(databaseId, codec);
    }
    try {
      int kind = due == ExpiringKind.NEVER ? EntryKind.CODE_OF_PUT : ExpiringKind.CODE;
      Reference written = file.writer.add(Trailer.of(UNKNOWN, kind), due, key, length, content);
      file.writer.flush();
      files.hold(written.file());
      written(file);
      return written;
    } catch (RuntimeException | Error e) {
      end(file); // what is left of the value must not follow another one
      throw e;
    } finally {
      giveBack(file);
    }
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

  private OpenFile begin(int databaseId, BlockCodec codec) {
    long number = numbers.getAsLong();
    OpenFile begun =
        new OpenFile(databaseId, files.create(number, uniqueIds.getAsLong(), databaseId, codec));
    synchronized (this) {
      open.put(number, begun);
    }
    return begun;
  }

  private synchronized void written(OpenFile file) {
    file.written = file.writer.bytes();
  }

  private synchronized void end(OpenFile file) {
    file.isFull = true;
  }

  private synchronized void giveBack(OpenFile file) {
    file.isInUse = false;
    file.isFull |= file.writer.bytes() >= FILE_BYTES;
    notifyAll();
  }

  /**
   * Makes all values durable that were put before the call, with the names of their files.
   *
   * @throws io.sifr.error.SifrException if that fails now, or has failed before
   */
  public void sync() {
    synchronized (syncing) {
      if (failure != null) {
        throw failure;
      }
      try {
        syncAll(unsynced());
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
  }

  private void syncAll(List<OpenFile> unsynced) {
    boolean hasNewNames = false;
    for (OpenFile file : unsynced) {
      long written = bytesWritten(file);
      file.writer.sync();
      hasNewNames |= !file.isNameDurable;
      synced(file, written);
    }
    if (hasNewNames) {
      files.fileSystem().syncDirectory(files.directory());
      unsynced.forEach(file -> file.isNameDurable = true);
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

  /** Closes those that are full and durable. */
  private void closeFull() {
    List<OpenFile> full = new ArrayList<>();
    synchronized (this) {
      open.values().stream()
          .filter(file -> file.isFull && !file.isInUse && file.written == file.synced)
          .forEach(full::add);
      full.forEach(file -> open.remove(file.writer.number()));
    }
    Failures failures = new Failures();
    for (OpenFile file : full) {
      failures.collect(file.writer::close);
      failures.collect(() -> files.letGo(file.writer.number()));
    }
    failures.throwFirst();
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
    boolean isInterrupted = false;
    boolean isOpen = false;
    for (long number : numbers) {
      OpenFile file = open.get(number);
      if (file != null) {
        isOpen = true;
        file.isFull = true;
        while (file.isInUse) { // for as long as one value is written
          try {
            wait();
          } catch (InterruptedException e) {
            isInterrupted = true;
          }
        }
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return isOpen;
  }

  /** Has nothing added to the files of a database that was dropped. */
  public void endAll(int databaseId) {
    synchronized (this) {
      open.values().stream()
          .filter(file -> file.databaseId == databaseId)
          .forEach(
              file -> {
                file.isFull = true;
                file.synced = file.written; // nobody needs it
              });
    }
    synchronized (syncing) {
      closeFull();
    }
  }

  /** Closes all files without syncing them, and deletes none. */
  @Override
  public synchronized void close() {
    Failures failures = new Failures();
    open.values().forEach(file -> failures.collect(file.writer::close));
    open.clear();
    failures.throwFirst();
  }
}
