package io.sifr.internal.compaction;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.filter.KeyHashes;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries as SSTs, cut where the caller says. An SST that was begun and not cut off is
 * deleted by {@link #close}; one that was cut off belongs to the caller.
 *
 * <p>Used by one thread.
 */
final class OutputWriter implements AutoCloseable {
  private final TaskEnvironment environment;
  private final @Nullable KeyHashes hashes;
  private byte @Nullable [] staging;
  private @Nullable SstWriter current;

  OutputWriter(TaskEnvironment environment) {
    this.environment = environment;
    int bits = environment.filterBitsPerKey();
    this.hashes = bits == 0 ? null : new KeyHashes(bits);
  }

  /** Appends the iterator's current entry. */
  void add(EntryIterator entry) {
    SstWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    writer.add(entry);
  }

  private SstWriter begin() {
    if (staging == null) {
      staging = SstWriter.newStaging();
    }
    if (hashes != null) {
      hashes.clear();
    }
    return new SstWriter(
        environment.access(),
        environment.numbers().getAsLong(),
        environment.uniqueIds().getAsLong(),
        environment.databaseId(),
        staging,
        hashes);
  }

  /** Bytes of the SST being written, without padding; 0 when the next entry begins one. */
  long currentBytes() {
    return current == null ? 0 : current.unpaddedBytes();
  }

  /**
   * Finishes the SST being written, if there is one; the next entry begins another. Its content is
   * durable, its name is not; it is open for reading.
   */
  @Nullable Sst cut() {
    SstWriter writer = current;
    if (writer == null) {
      return null;
    }
    Sst written = new Sst(writer.finish(null));
    writer.close();
    current = null;
    try {
      written.open(environment.access());
      return written;
    } catch (RuntimeException | Error e) {
      SstFiles.discard(environment, written);
      throw e;
    }
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
    }
  }
}
