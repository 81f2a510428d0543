package io.sifr.internal.io;

import java.nio.ByteBuffer;

/**
 * A file mapped into memory. The owner must see to it that nobody uses {@link #buffer} when it
 * closes the region: on Java 22 and later such a use is an exception, before that it kills the
 * process.
 */
public interface MappedRegion extends AutoCloseable {
  /** The mapped bytes, big-endian, position 0. Use absolute accessors, or a duplicate. */
  ByteBuffer buffer();

  /**
   * Makes the bytes from {@code from}, {@code length} of them, durable (widened to whole pages).
   * After a failure the file is not to be trusted and never to be forced again.
   */
  void force(int from, int length);

  /** Unmaps at once. It can be called more than once. */
  @Override
  void close();
}
