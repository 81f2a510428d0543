package io.sifr.leveldb.importer.merge;

import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import java.io.IOException;

/**
 * A sorted source that is opened when its first entry is due.
 *
 * @param first that entry; its value may be missing
 * @param opening opens it
 */
public record PendingSource(Entry first, Opening opening) {
  /** Opens a source. */
  @FunctionalInterface
  public interface Opening {
    /** Opens it, before its first entry. */
    EntrySource open() throws IOException;
  }
}
