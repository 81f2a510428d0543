package io.sifr.leveldb.importer.log;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import io.sifr.leveldb.importer.source.Fields;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The entries of a log in the order in which they were written. Each record is a batch. */
public final class LogEntries implements EntrySource {
  private static final int HEADER = Long.BYTES + Integer.BYTES;
  private static final long LAST_SEQUENCE = (1L << 56) - 1;

  private final SourceFile file;
  private final LogReader records;
  private @Nullable Fields batch;
  private long sequence;

  /** Entries that the batch has yet. */
  private long left;

  private LogEntries(SourceFile file) {
    this.file = file;
    this.records = new LogReader(file);
  }

  /** Opens a log. */
  public static LogEntries open(Path path) throws IOException {
    return new LogEntries(SourceFile.open(path));
  }

  /** Whether the log ends within a record; known at its end. */
  public boolean isTorn() {
    return records.isTorn();
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (left == 0) {
      if (batch != null && !batch.isAtEnd()) {
        throw batch.damaged("a batch has more entries than it says");
      }
      byte @Nullable [] record = records.next();
      if (record == null) {
        return null;
      }
      batch = begin(record);
    }
    left--;
    return read(batch);
  }

  private Fields begin(byte[] record) throws SourceException {
    Fields fields = new Fields(file, records.recordOffset(), record);
    if (record.length < HEADER) {
      throw fields.damaged("a record of " + record.length + " bytes, which is no batch");
    }
    sequence = fields.readFixed64();
    left = fields.readFixed32();
    if (sequence < 0 || sequence > LAST_SEQUENCE - left) {
      throw fields.damaged("a sequence that LevelDB does not have");
    }
    return fields;
  }

  private Entry read(@Nullable Fields fields) throws SourceException {
    if (fields == null) {
      throw new IllegalStateException("no batch");
    }
    boolean isDeletion = Entry.isDeletion(fields.readByte(), fields);
    byte[] key = fields.readBytes();
    return isDeletion
        ? Entry.delete(key, sequence++)
        : Entry.put(key, sequence++, fields.readBytes());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
