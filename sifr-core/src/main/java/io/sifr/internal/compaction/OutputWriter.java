package io.sifr.internal.compaction;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run of entries as SSTs, cut where its user says. What it wrote becomes part of the store
 * only through {@link #finish}; closed before that it deletes it all.
 *
 * <p>Used by one thread.
 */
final class OutputWriter implements AutoCloseable {
  private static final int CANCEL_CHECK_INTERVAL = 1 << 12;

  private final TaskEnvironment environment;
  private final List<Sst> written = new ArrayList<>();
  private byte @Nullable [] staging;
  private @Nullable SstWriter current;
  private int untilCancelCheck = CANCEL_CHECK_INTERVAL;
  private boolean finished;

  OutputWriter(TaskEnvironment environment) {
    this.environment = environment;
  }

  /** Appends the entry the iterator stands on. */
  void add(EntryIterator entry) {
    if (--untilCancelCheck == 0) {
      untilCancelCheck = CANCEL_CHECK_INTERVAL;
      environment.checkCancelled();
    }
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
    return new SstWriter(
        environment.fileSystem(),
        environment.directory(),
        environment.numbers().getAsLong(),
        environment.uniqueIds().getAsLong(),
        staging);
  }

  /** Bytes of the SST being written; 0 when the next entry begins one. */
  long currentBytes() {
    return current == null ? 0 : current.fileBytes();
  }

  /** Ends the SST being written, if there is one: the next entry begins another. */
  void cut() {
    SstWriter writer = current;
    if (writer != null) {
      written.add(new Sst(writer.finish()));
      writer.close();
      current = null;
    }
  }

  /**
   * Ends the last SST, makes the names of all durable, opens all for reading, and gives them to the
   * caller.
   */
  List<Sst> finish() {
    cut();
    if (!written.isEmpty()) {
      environment.fileSystem().syncDirectory(environment.directory());
      for (Sst sst : written) {
        sst.open(environment.fileSystem(), environment.directory());
      }
    }
    finished = true;
    return written;
  }

  @Override
  public void close() {
    if (finished) {
      return;
    }
    if (current != null) {
      current.close();
    }
    for (Sst sst : written) {
      sst.condemn(
          () -> SstFiles.delete(environment.fileSystem(), environment.directory(), sst.number()));
    }
  }
}
