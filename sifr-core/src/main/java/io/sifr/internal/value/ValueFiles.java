package io.sifr.internal.value;

import static com.google.common.base.Preconditions.checkState;

import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The value files of a store. Each is held by the SSTs that refer to it, as long as these exist, by
 * the write buffers that do, and by who writes it; the last one that lets go of it closes and
 * deletes it. So whatever keeps an SST from being deleted, a snapshot, a reader or a copy of the
 * store, keeps its values.
 *
 * <p>Files are opened when something is read of them. Thread-safe.
 */
public final class ValueFiles implements SeparatedKind.Source, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ValueFiles.class);

  private static final int UNKNOWN = -1;

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final IntFunction<@Nullable BlockCodec> codecs;
  private final boolean isOfOpenStore;
  private final boolean maps;
  private final ReadMeter meter = new ReadMeter();
  private final Map<Long, Held> files = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /**
   * Those of a directory that nobody has open as a store: all are read by position.
   *
   * @param codecs the codecs that values may be encoded with, by number
   */
  public ValueFiles(
      StoreFileSystem fileSystem, Path directory, IntFunction<@Nullable BlockCodec> codecs) {
    this(fileSystem, directory, codecs, false, false);
  }

  private ValueFiles(
      StoreFileSystem fileSystem,
      Path directory,
      IntFunction<@Nullable BlockCodec> codecs,
      boolean isOfOpenStore,
      boolean maps) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.codecs = codecs;
    this.isOfOpenStore = isOfOpenStore;
    this.maps = maps;
  }

  /**
   * Those of a store that is open: values are read of files that somebody holds.
   *
   * @param codecs the codecs that values may be encoded with, by number
   * @param maps whether what is in memory is read through mappings
   */
  public static ValueFiles ofOpenStore(
      StoreFileSystem fileSystem,
      Path directory,
      IntFunction<@Nullable BlockCodec> codecs,
      boolean maps) {
    return new ValueFiles(fileSystem, directory, codecs, true, maps);
  }

  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  /** The store's directory. */
  public Path directory() {
    return directory;
  }

  /** Counts what is read of them by position. */
  public ReadMeter meter() {
    return meter;
  }

  /** A file, and how many hold it. */
  private static final class Held {
    /** Changed only within a change of the map. */
    private int holders;

    /** Whether somebody writes to it still. */
    private volatile boolean grows;

    /** Written with the lock of this. */
    private volatile @Nullable ValueFile open;

    /** True after the last call that may open it. Guarded by this. */
    private boolean closed;

    /** Number of the key it is encrypted with; negative if that is not known yet. */
    private volatile int key = UNKNOWN;

    /** Bytes of its records; negative if that is not known yet. */
    private volatile long recordBytes = -1;

    ValueFile open(StoreFileSystem fileSystem, Path directory, long number, ValueFiles of) {
      ValueFile known = open;
      return known == null ? openFirst(fileSystem, directory, number, of) : known;
    }

    private synchronized ValueFile openFirst(
        StoreFileSystem fileSystem, Path directory, long number, ValueFiles of) {
      checkState(!closed, "value file %s is closed", number);
      ValueFile known = open;
      if (known == null) {
        known =
            ValueFile.open(
                fileSystem, directory, number, of.codecs, of.meter, () -> of.maps && !grows);
        open = known;
      }
      return known;
    }

    synchronized void close() {
      closed = true;
      ValueFile known = open;
      open = null;
      if (known != null) {
        known.close();
      }
    }
  }

  /**
   * Bytes of all records of a file that is held, whether anything refers to them or not. 0 if that
   * is not known, or if values cannot be copied out of the file, see {@link #leave}.
   */
  public long recordBytes(long number) {
    Held held = files.get(number);
    if (held == null) {
      return 0;
    }
    if (held.recordBytes < 0) {
      try {
        long size = fileSystem.size(FileKind.VALUES.path(directory, number));
        held.recordBytes = Math.max(0, size - FileHeader.BYTES);
      } catch (SifrException e) {
        return 0; // whoever reads it will say what is wrong
      }
    }
    return held.recordBytes;
  }

  /**
   * Number of the key with which a file is encrypted that is held, 0: with none. Negative if that
   * is not known: nothing was written to it yet, or it cannot be read.
   */
  public int key(long number) {
    Held held = files.get(number);
    if (held == null) {
      return UNKNOWN;
    }
    if (held.key < 0) {
      Path path = FileKind.VALUES.path(directory, number);
      try {
        held.key = FileHeader.read(fileSystem, path, FileKind.VALUES, number).key();
      } catch (SifrException e) {
        return UNKNOWN; // whoever reads it will say what is wrong
      }
    }
    return held.key;
  }

  /** No values are copied out of a file any more, as one of them cannot be read. */
  public void leave(long number) {
    Held held = files.get(number);
    if (held != null) {
      held.recordBytes = 0;
    }
  }

  /** Keeps a file from being deleted, until {@link #letGo}. */
  public void hold(long number) {
    files.compute(number, (key, known) -> heldOnceMore(known));
  }

  /** The same if somebody holds it already; false when nobody does, and it may be deleted. */
  boolean tryHold(long number) {
    boolean[] isHeld = new boolean[1];
    files.computeIfPresent(
        number,
        (key, held) -> {
          isHeld[0] = held.holders > 0;
          return isHeld[0] ? heldOnceMore(held) : held;
        });
    return isHeld[0];
  }

  private static Held heldOnceMore(@Nullable Held known) {
    Held held = known == null ? new Held() : known;
    held.holders++;
    return held;
  }

  /** Whether nobody but the caller, who holds a file, does. */
  boolean isHeldOnce(long number) {
    boolean[] isOnce = new boolean[1];
    files.computeIfPresent(
        number,
        (key, held) -> {
          isOnce[0] = held.holders == 1;
          return held;
        });
    return isOnce[0];
  }

  /** Lets go of a file once; the last one who does deletes it. */
  public void letGo(long number) {
    Held[] last = new Held[1];
    files.computeIfPresent(
        number,
        (key, held) -> {
          held.holders--;
          last[0] = held.holders == 0 ? held : null;
          return held.holders == 0 ? null : held;
        });
    Held free = last[0];
    if (free != null) {
      delete(number, free);
    }
  }

  /** A failure has no other consequence: the file is an orphan, and the next open removes it. */
  private void delete(long number, Held free) {
    Path file = FileKind.VALUES.path(directory, number);
    try {
      free.close();
      if (!isClosed) { // then it may belong to who has the directory now
        fileSystem.delete(file);
      }
    } catch (SifrException e) {
      LOG.warn("{} is not needed any more but cannot be deleted; the next open will try", file, e);
    }
  }

  /**
   * Begins a new file, which the caller holds.
   *
   * @param number never used before
   * @param uniqueId random, never used before
   */
  public ValueWriter create(long number, long uniqueId, int databaseId, BlockCodec codec) {
    Path path = FileKind.VALUES.path(directory, number);
    FileHeader header = FileHeader.of(fileSystem.keys(), FileKind.VALUES, number, uniqueId);
    FileCipher cipher = header.cipher(path, fileSystem.keys());
    fileSystem.create(path).close();
    Held held = new Held();
    held.holders = 1;
    held.grows = true;
    files.put(number, held);
    try {
      return new ValueWriter(
          fileSystem.openToGrow(path), header, cipher, databaseId, codec, () -> held.grows = false);
    } catch (RuntimeException | Error e) {
      letGo(number);
      throw e;
    }
  }

  @Override
  public void read(
      Reference reference, byte[] key, int from, int length, byte[] target, int targetOffset) {
    long number = reference.file();
    Held held = isOfOpenStore ? files.get(number) : held(number);
    if (held == null) {
      throw new OutdatedException();
    }
    try {
      open(number, held).read(reference, key, from, length, target, targetOffset);
    } catch (RuntimeException e) {
      if (isOfOpenStore && !held.equals(files.get(number))) {
        throw new OutdatedException(); // it was deleted meanwhile
      }
      throw e;
    }
  }

  /** A file, opened if necessary. */
  public ValueFile file(long number) {
    return open(number, held(number));
  }

  private Held held(long number) {
    return files.computeIfAbsent(number, key -> new Held());
  }

  private ValueFile open(long number, Held held) {
    return held.open(fileSystem, directory, number, this);
  }

  /**
   * Drops what is left of values that were not written wholly before a crash, see {@link
   * ValueFile#dropUnfinished}.
   *
   * @return whether there was any
   */
  public boolean dropUnfinished(long number) {
    return file(number).dropUnfinished();
  }

  /** Closes all files, and deletes none. */
  @Override
  public void close() {
    isClosed = true;
    Failures failures = new Failures();
    files.values().forEach(held -> failures.collect(held::close));
    failures.throwFirst();
  }
}
