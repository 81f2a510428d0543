package io.sifr.internal.value;

import io.sifr.error.SifrException;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.MemoryMapper.MappingFaults;
import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file through a mapping where its bytes are in memory, which takes half the time of a read
 * by position; all else by position: of a large value the system then reads ahead, and a thread
 * that waits for the device does not keep the JVM from its next safepoint. So files larger than
 * memory can be mapped, too.
 *
 * <p>The file is mapped when it is first read after nobody writes to it any more. It is unmapped
 * when the last of those who read has left. Thread-safe.
 */
final class MappedReads implements RandomReadFile {
  private static final Logger LOG = LoggerFactory.getLogger(MappedReads.class);

  /** By default the Linux kernel allows a process 65,530 mappings; SSTs may take half of them. */
  private static final int MOST = 15_000;

  /** It takes longer to ask whether fewer bytes are in memory than to read them by position. */
  private static final int LEAST_BYTES = 4096;

  /** Files of this process that are mapped by this class. */
  private static final AtomicInteger MAPPED = new AtomicInteger();

  private final RandomReadFile file;
  private final BooleanSupplier isComplete;
  private final Supplier<MappedRegion> mapper;

  /** Held while the mapping is used, or made and closed. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /** Written with the lock of writers. */
  private volatile @Nullable MappedRegion region;

  /** Whether it was tried. Written with the lock of writers. */
  private volatile boolean triedToMap;

  /**
   * @param file read by position; closed with this
   * @param isComplete whether nobody writes to the file any more
   * @param mapper maps the whole file
   */
  MappedReads(RandomReadFile file, BooleanSupplier isComplete, Supplier<MappedRegion> mapper) {
    this.file = file;
    this.isComplete = isComplete;
    this.mapper = mapper;
  }

  @Override
  public void keepsItsName() {
    file.keepsItsName();
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public void readFully(ByteBuffer target, long position) {
    if (!triedToMap && isComplete.getAsBoolean()) {
      map();
    }
    boolean isLarge = target.remaining() >= LEAST_BYTES && target.hasArray();
    if (!isLarge || region == null || !copy(target, position)) {
      file.readFully(target, position);
    }
  }

  private void map() {
    Lock own = lock.writeLock();
    own.lock();
    try {
      if (!triedToMap) {
        triedToMap = true;
        region = tryToMap();
      }
    } finally {
      own.unlock();
    }
  }

  private @Nullable MappedRegion tryToMap() {
    if (file.size() > Integer.MAX_VALUE) {
      return null; // a buffer cannot be as large
    }
    if (MAPPED.incrementAndGet() > MOST) {
      MAPPED.decrementAndGet();
      return null;
    }
    try {
      return mapper.get();
    } catch (SifrException e) {
      MAPPED.decrementAndGet();
      LOG.debug("a value file is read by position, as it could not be mapped", e);
      return null;
    }
  }

  /** Copies bytes that are in memory; returns false, without having copied any, if not all are. */
  private boolean copy(ByteBuffer target, long position) {
    int length = target.remaining();
    Lock shared = lock.readLock();
    shared.lock();
    try {
      MappedRegion mapped = region;
      if (mapped == null
          || length > mapped.buffer().capacity() - position
          || !mapped.isInMemory((int) position, length)) {
        return false;
      }
      int offset = target.arrayOffset() + target.position();
      mapped.buffer().get((int) position, target.array(), offset, length);
      MappingFaults.raise();
      target.position(target.limit());
      return true;
    } catch (InternalError e) {
      return false; // a page could not be read after all: reading by position says why
    } finally {
      shared.unlock();
    }
  }

  @Override
  public void close() {
    Lock own = lock.writeLock();
    own.lock();
    try (file) {
      triedToMap = true;
      MappedRegion mapped = region;
      region = null;
      if (mapped != null) {
        MAPPED.decrementAndGet();
        mapped.close();
      }
    } finally {
      own.unlock();
    }
  }
}
