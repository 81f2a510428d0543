package io.sifr.internal.engine.write;

import io.sifr.config.WriteOptions;
import io.sifr.internal.state.DatabaseHandle;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Adds to writes their entries in the indexes of a store. One of these is in force at a time;
 * another takes its place when an index is added or goes away.
 */
public interface IndexEntries {
  /** Whether a database has indexes. */
  boolean areOf(DatabaseHandle database);

  /** Whether operations of a batch have entries in indexes. */
  boolean areOf(BatchBuffer batch);

  /**
   * Whether a batch is logged whatever its durability: if it writes to a database with a unique
   * index. Else a crash could take a delete, and leave a later put with the same index key.
   */
  boolean needLog(BatchBuffer batch);

  /**
   * Writes a batch with the entries of its operations in indexes.
   *
   * @throws io.sifr.error.IndexExtractorException when nobody can say what they are
   * @throws io.sifr.error.DuplicateIndexKeyException when a unique index has another entry with one
   *     of the keys
   */
  boolean write(
      BatchBuffer batch,
      @Nullable WriteGuard guard,
      WriteOptions options,
      @Nullable StallLimit limit);

  /**
   * Empties the indexes of databases that are about to get files of entries, and leaves them so
   * until the end of that: then they are built again.
   */
  Ingesting beginIngest(Collection<DatabaseHandle> databases);

  /** An ingest into databases with indexes. */
  interface Ingesting extends AutoCloseable {
    @Override
    void close();
  }
}
