package io.sifr.internal.io;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A mapping of a file of the platform. */
final class DiskMappedRegion implements MappedRegion {
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final Path file;
  private volatile MemoryMapper.@Nullable Mapping mapping;

  DiskMappedRegion(Path file, MemoryMapper.Mapping mapping) {
    this.file = file;
    this.mapping = mapping;
    OPEN.incrementAndGet();
  }

  /** Number of regions of this JVM that are not closed yet. */
  static int open() {
    return OPEN.get();
  }

  @Override
  public ByteBuffer buffer() {
    MemoryMapper.Mapping current = mapping;
    if (current == null) {
      throw new IllegalStateException(file + " is not mapped any more");
    }
    return current.buffer();
  }

  @Override
  public void force(int from, int length) {
    try {
      ((MappedByteBuffer) buffer()).force(from, length);
    } catch (UncheckedIOException e) {
      throw IoErrors.translate(file, "sync", Objects.requireNonNull(e.getCause()));
    }
  }

  @Override
  public synchronized void close() {
    MemoryMapper.Mapping current = mapping;
    if (current != null) {
      mapping = null;
      OPEN.decrementAndGet();
      current.unmap().run();
    }
  }
}
