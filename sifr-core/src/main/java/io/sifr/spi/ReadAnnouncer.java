package io.sifr.spi;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Tells the operating system which bytes of files will be read next, so that it reads them at the
 * same time and the store then finds them in memory. Java has no such call. Where it is missing,
 * several threads read at once.
 *
 * <p>The library finds one by {@link java.util.ServiceLoader}, once in a process; the module {@code
 * io.sifr.nativereads} has one. Implementations are called by many threads.
 */
public interface ReadAnnouncer {
  /**
   * What keeps it from working in this process, as the end of a sentence for the log; empty if it
   * works.
   */
  Optional<String> obstacle();

  /**
   * Has the system begin to read bytes of a file, unless they are in memory. Does not wait for
   * them.
   *
   * @param mapped a part of a mapping of the file, from the position to the limit of the buffer; it
   *     stays mapped during the call
   * @return false when the system refuses; it is not asked again then
   */
  boolean announce(ByteBuffer mapped);
}
