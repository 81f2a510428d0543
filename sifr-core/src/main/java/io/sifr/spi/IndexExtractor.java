package io.sifr.spi;

import java.util.Collection;

/**
 * Says by which keys an index finds an entry: the city of a user, the words of a text. A database
 * declares an index with the name of an extractor ({@link
 * io.sifr.config.DatabaseOptions.Builder#index}); the extractor itself is registered by {@link
 * io.sifr.Store.Builder#indexExtractor} whenever the store is opened.
 *
 * <ul>
 *   <li>It is a pure function: the same entry always has the same index keys, today and in the next
 *       version of the program. Reads of an index call it again, to see whether what the index says
 *       is still so; an extractor that says something else than it did when the entry was written
 *       makes entries vanish from the index. One with another meaning gets another name.
 *   <li>It is called by each write of a database that has the index, and by reads of the index and
 *       background threads, many at a time. So it is thread-safe, quick, and calls nothing of the
 *       store.
 *   <li>Its arguments are shared and must not be changed or kept.
 * </ul>
 *
 * <p>If it throws or returns null, or a null among the keys, the write fails with an {@link
 * io.sifr.error.IndexExtractorException}, and nothing of it is written.
 */
public interface IndexExtractor {
  /**
   * Its name: stored with each database that uses it.
   *
   * @return 1 to 255 characters, none of them a control character; always the same
   */
  String name();

  /**
   * The keys by which the index finds an entry.
   *
   * @param key the entry's key
   * @param value its value, as it was put
   * @return none if the index shall not find it; a key that is there twice counts once; each has 0
   *     to 16384 bytes, and is not changed afterwards
   */
  Collection<byte[]> indexKeys(byte[] key, byte[] value);
}
