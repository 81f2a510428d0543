package io.sifr.internal.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Maps files so that they can be unmapped at once. There are two implementations, chosen by the
 * version of the JVM: with that of Java 22 and later, a use after unmapping throws an exception;
 * the older one cannot detect it.
 */
interface MemoryMapper {
  /** A mapping: its bytes, and the action that unmaps it. */
  record Mapping(ByteBuffer buffer, Runnable unmap) {}

  /**
   * Maps the first {@code size} bytes of the file, which must exist.
   *
   * @param size at most {@link Integer#MAX_VALUE}
   */
  Mapping map(FileChannel channel, FileChannel.MapMode mode, long size) throws IOException;
}
