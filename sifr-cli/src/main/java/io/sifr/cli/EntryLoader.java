package io.sifr.cli;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.cli.record.BadRecordException;
import io.sifr.cli.record.RecordReader;
import io.sifr.cli.terminal.ProgressBar;
import java.io.IOException;

/**
 * Puts the entries of a file into a database in groups, so that the entries of a group share a
 * sync. A line that is not an entry is skipped, or ends the load; the entries before it are then in
 * the database.
 */
final class EntryLoader {
  private static final int BATCH_ENTRIES = 1000;
  private static final int BATCH_BYTES = 1 << 20;

  private final Store store;
  private final Database database;
  private final OnError onError;
  private final SkippedLines skipped = new SkippedLines();
  private final WriteBatch batch = new WriteBatch();
  private long entries;
  private long bytes;

  EntryLoader(Store store, Database database, OnError onError) {
    this.store = store;
    this.database = database;
    this.onError = onError;
  }

  void load(RecordReader reader, ProgressBar bar) throws IOException {
    try {
      while (addNext(reader)) {
        if (batch.size() >= BATCH_ENTRIES || batch.bytes() >= BATCH_BYTES) {
          write();
          bar.update(reader.bytesRead());
        }
      }
    } catch (BadRecordException e) {
      write();
      throw e;
    }
    write();
    bar.update(reader.bytesRead());
  }

  private boolean addNext(RecordReader reader) throws IOException {
    try {
      if (!reader.next()) {
        return false;
      }
      add(reader);
    } catch (BadRecordException e) {
      if (onError == OnError.STOP || e.isLast()) {
        throw e;
      }
      skipped.add(e);
    }
    return true;
  }

  private void add(RecordReader reader) throws BadRecordException {
    try {
      batch.put(database, reader.key(), reader.value());
    } catch (IllegalArgumentException e) {
      throw reader.refused(String.valueOf(e.getMessage()));
    }
    bytes += reader.key().length + reader.value().length;
  }

  private void write() {
    store.write(batch);
    entries += batch.size();
    batch.clear();
  }

  /** Entries that have been put. */
  long entries() {
    return entries;
  }

  /** Bytes of the keys and values that have been put. */
  long bytes() {
    return bytes;
  }

  /** The lines that were skipped. */
  SkippedLines skipped() {
    return skipped;
  }
}
