package io.sifr.internal.sst.block;

import io.sifr.error.SifrException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of an SST where each read may take long, see {@link StoreFileSystem#isFar}. What follows
 * its data blocks, filter and index, is read in a {@link TailCopy}, which is made when there is no
 * sound one. So the SST itself is not even opened before one of its blocks is read.
 *
 * <p>Nothing fails because of the copy: what it does not give is read in the SST. Safe for any
 * thread.
 */
final class FarSst implements RandomReadFile {
  private static final Logger LOG = LoggerFactory.getLogger(FarSst.class);

  private final StoreFileSystem fileSystem;
  private final Path path;
  private final long bytes;
  private final Function<Path, RandomReadFile> opening;

  /** Null when it cannot be made. */
  private final @Nullable TailCopy copy;

  /** The SST itself; null before it is needed. Written with the lock of this. */
  private volatile @Nullable RandomReadFile whole;

  private boolean isClosed; // guarded by this

  /**
   * Opens an SST, and makes the copy if need be.
   *
   * @param directory of the store
   * @param bytes size that the SST should have
   * @param opening opens a file
   */
  FarSst(
      StoreFileSystem fileSystem,
      Path directory,
      Path path,
      long bytes,
      Function<Path, RandomReadFile> opening) {
    this.fileSystem = fileSystem;
    this.path = path;
    this.bytes = bytes;
    this.opening = opening;
    long number = FileKind.SST.numberOf(String.valueOf(path.getFileName())).orElseThrow();
    this.copy = copy(FileKind.TAIL.path(directory, number), number);
  }

  private @Nullable TailCopy copy(Path at, long number) {
    TailCopy found = find(at, number);
    if (found != null) {
      return found;
    }
    RandomReadFile sst = whole();
    if (sst.size() != bytes) {
      return null; // who has opened this will say so
    }
    try {
      fileSystem.delete(at);
      TailCopy.write(fileSystem, at, number, path, sst);
      return open(at, number);
    } catch (SifrException e) {
      LOG.warn("gets read more than necessary: {}", e.getMessage());
      delete(at);
      return null;
    } catch (RuntimeException | Error e) {
      sst.close();
      throw e;
    }
  }

  /** The copy if it is there and whole. */
  private @Nullable TailCopy find(Path at, long number) {
    if (!fileSystem.exists(at)) {
      return null;
    }
    try {
      return open(at, number);
    } catch (UnsupportedFormatException e) {
      LOG.debug("a newer version has made the copy", e);
    } catch (SifrException e) {
      LOG.warn("the end of {} is copied again: {}", path, e.getMessage());
    }
    return null;
  }

  private TailCopy open(Path at, long number) {
    RandomReadFile file = opening.apply(at);
    try {
      return TailCopy.open(at, file, number, bytes);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private void delete(Path at) {
    try {
      fileSystem.delete(at);
    } catch (SifrException e) {
      LOG.debug("what cannot be deleted is not sound either", e);
    }
  }

  @Override
  public long size() {
    TailCopy from = copy;
    return from == null ? whole().size() : from.end();
  }

  @Override
  public void readFully(ByteBuffer target, long position) {
    TailCopy tail = copy;
    int limit = target.limit();
    long near = tail == null ? Long.MAX_VALUE : Math.max(position, tail.from());
    if (limit - target.position() > near - position) {
      if (near > position) {
        whole().readFully(target.limit(target.position() + (int) (near - position)), position);
        target.limit(limit);
      }
      if (readCopy(tail, target, near)) {
        return;
      }
      whole().readFully(target, near);
    } else {
      whole().readFully(target, position);
    }
  }

  /** Reads in the copy, if it is sound there; else nothing was read. */
  private boolean readCopy(@Nullable TailCopy tail, ByteBuffer target, long position) {
    boolean areWholePages =
        position % SstFormat.PAGE_BYTES == 0 && target.remaining() % SstFormat.PAGE_BYTES == 0;
    if (tail == null || !areWholePages) {
      return false;
    }
    int start = target.position();
    try {
      tail.readFully(target, position);
      return true;
    } catch (SifrException e) {
      LOG.warn("the end of {} is read in itself: {}", path, e.getMessage());
      target.position(start);
      delete(tail.path()); // so that it is made again when the SST is opened again
      return false;
    }
  }

  /** The SST itself. */
  private RandomReadFile whole() {
    RandomReadFile opened = whole;
    return opened == null ? openWhole() : opened;
  }

  private synchronized RandomReadFile openWhole() {
    RandomReadFile opened = whole;
    if (opened == null) {
      if (isClosed) {
        throw new IllegalStateException(path + " is closed");
      }
      opened = opening.apply(path);
      whole = opened;
    }
    return opened;
  }

  @Override
  public void close() {
    Failures failures = new Failures();
    TailCopy near = copy;
    if (near != null) {
      failures.collect(near::close);
    }
    synchronized (this) {
      isClosed = true;
      RandomReadFile opened = whole;
      if (opened != null) {
        failures.collect(opened::close);
      }
    }
    failures.throwFirst();
  }
}
