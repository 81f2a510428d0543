package io.sifr.internal.io;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * A file mapped into memory. When the owner closes the region, it must ensure that no thread uses
 * {@link #buffer} any more: on Java 22 and later such a use throws an exception, on older versions
 * it kills the process.
 */
public interface MappedRegion extends AutoCloseable {
  /** The mapped bytes, big-endian, position 0. Use absolute accessors, or a duplicate. */
  ByteBuffer buffer();

  /**
   * Whether bytes can be read without I/O, as far as the system says; true where it says nothing.
   * Takes a microsecond.
   */
  default boolean isInMemory(int from, int length) {
    return !(buffer().slice(from, length) instanceof MappedByteBuffer mapped)
        || mapped.isLoaded()
        || System.getProperty("os.name", "").startsWith("Windows"); // it always says no there
  }

  /** Has the system begin to read bytes, if it can be told to. Does not wait. */
  default void announce(int from, int length) {
    Announcements.ofThisProcess().announce(buffer(), from, length);
  }

  /**
   * Makes {@code length} bytes from {@code from} on durable, widened to whole pages. After a
   * failure the content is undefined and the file must not be forced again.
   */
  void force(int from, int length);

  /** Unmaps at once. Calls after the first have no effect. */
  @Override
  void close();
}
