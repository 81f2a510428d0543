package io.sifr.importer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Entries one after the other, their keys in ascending order of their bytes. For one thread. */
public interface KeyValues extends AutoCloseable {
  /**
   * The next entry, or null when there is none.
   *
   * @throws SourceException when the source is damaged
   */
  @Nullable KeyValue next() throws IOException;

  /** Closes what is open for it. */
  @Override
  void close() throws IOException;
}
