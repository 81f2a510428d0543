package io.sifr.importer;

import java.io.IOException;
import java.util.List;

/**
 * Another store, opened to be read only. For one thread. Whatever is wrong with its data is a
 * {@link SourceException}, whose message follows the words "SOURCE cannot be imported: ".
 */
public interface ImportSource extends AutoCloseable {
  /** Opens a source. */
  @FunctionalInterface
  interface Opener<S extends ImportSource> {
    /** Opens it, or says why it cannot be imported. */
    S open() throws IOException;
  }

  /** Its parts, each with another database. */
  List<SourceCollection> collections() throws IOException;

  /** Whether its data are compressed, so that those of the store will be, too. */
  boolean isCompressed() throws IOException;

  /** Checks that nobody has written to it since it was opened. */
  void requireUnchanged() throws IOException;

  /** Closes it. */
  @Override
  void close() throws IOException;
}
