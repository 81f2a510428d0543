package io.sifr.leveldb.importer.source;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Entries one after the other. For one thread. */
public interface EntrySource extends AutoCloseable {
  /** The next entry, or null when there is none. */
  @Nullable Entry next() throws IOException;

  /** Closes the files that are open for it. */
  @Override
  void close() throws IOException;
}
