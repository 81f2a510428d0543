package io.sifr.internal.io;

/**
 * An existing file whose bytes are overwritten in place. Used by one thread at a time, except for
 * {@link #sync}, which may run concurrently with {@link #write}.
 */
public interface RandomWriteFile extends AutoCloseable {
  /**
   * Writes {@code length} bytes of the array at {@code position}.
   *
   * @throws IllegalArgumentException when they do not lie within the size it was opened with, or,
   *     when it was opened to grow, begin after its end
   */
  void write(byte[] source, int offset, int length, long position);

  /**
   * Makes everything written before the call durable. After a failure the content is undefined and
   * the file must not be synced again.
   */
  void sync();

  /** Closes the file without syncing it. Calls after the first have no effect. */
  @Override
  void close();
}
