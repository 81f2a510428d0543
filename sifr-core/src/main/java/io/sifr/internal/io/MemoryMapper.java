package io.sifr.internal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Maps files so that they can be unmapped at once. Which of the two ways is taken is decided by the
 * version of the JVM: the one of Java 22 and later turns a use after unmapping into an exception,
 * the older one cannot.
 */
interface MemoryMapper {
  /** A mapping: its bytes, and what undoes it. */
  record Mapping(ByteBuffer buffer, Runnable unmap) {}

  /**
   * Maps the first {@code size} bytes of the file, which must be there.
   *
   * @param size at most {@link Integer#MAX_VALUE}
   */
  Mapping map(FileChannel channel, FileChannel.MapMode mode, long size) throws IOException;

  /** The best one this JVM has. */
  static MemoryMapper ofThisJvm() {
    return Runtime.version().feature() >= ForeignMapper.SINCE_FEATURE
        ? new ForeignMapper()
        : new CleanerMapper();
  }
}
