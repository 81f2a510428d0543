package io.sifr.internal.io;

/**
 * An existing file whose bytes are overwritten in place. Used by one thread at a time, but for
 * {@link #sync}, which may run beside {@link #write}.
 */
public interface RandomWriteFile extends AutoCloseable {
  /**
   * Writes {@code length} bytes of the array at {@code position}.
   *
   * @throws IllegalArgumentException when they do not lie within the size it was opened with, or,
   *     when it was opened to grow, begin behind its end
   */
  void write(byte[] source, int offset, int length, long position);

  /**
   * Makes everything written before the call durable. After a failure the file is not to be trusted
   * and never to be synced again.
   */
  void sync();

  /** Closes the file without syncing it. It can be called more than once. */
  @Override
  void close();
}
