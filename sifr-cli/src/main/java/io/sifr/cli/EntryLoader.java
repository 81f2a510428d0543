package io.sifr.cli;

import io.sifr.cli.record.BadRecordException;
import io.sifr.cli.record.RecordReader;
import io.sifr.cli.terminal.ProgressBar;
import java.io.IOException;

/**
 * Puts the entries of a file into a database. A line that is not an entry is skipped, or ends the
 * load; the entries before it are then in the database.
 */
final class EntryLoader {
  /** The progress is shown after so many. */
  private static final int ENTRIES_SHOWN = 1000;

  private final InterruptibleSink sink;
  private final OnError onError;
  private final SkippedLines skipped = new SkippedLines();
  private long entries;
  private long bytes;

  EntryLoader(InterruptibleSink sink, OnError onError) {
    this.sink = sink;
    this.onError = onError;
  }

  /**
   * Puts the entries, but for the first rows.
   *
   * @param rowsBefore how many rows to pass over, whatever is in them
   */
  void load(RecordReader reader, long rowsBefore, ProgressBar bar) throws IOException {
    passOver(reader, rowsBefore);
    try {
      while (addNext(reader)) {
        if (entries % ENTRIES_SHOWN == 0) {
          bar.update(reader.bytesRead());
        }
      }
    } catch (BadRecordException e) {
      sink.finish();
      throw e;
    }
    sink.finish();
    bar.update(reader.bytesRead());
  }

  private static void passOver(RecordReader reader, long rows) throws IOException {
    boolean isMore = true;
    for (long row = 0; isMore && row < rows; row++) {
      try {
        isMore = reader.next();
      } catch (BadRecordException e) {
        if (e.isLast()) {
          throw e;
        }
      }
    }
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
      sink.pass();
    }
    return true;
  }

  private void add(RecordReader reader) throws BadRecordException {
    try {
      sink.put(reader.key(), reader.value());
    } catch (IllegalArgumentException e) {
      throw reader.refused(String.valueOf(e.getMessage()));
    }
    bytes += reader.key().length + reader.value().length;
    entries++;
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
