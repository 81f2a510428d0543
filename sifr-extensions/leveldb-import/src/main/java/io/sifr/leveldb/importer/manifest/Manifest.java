package io.sifr.leveldb.importer.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.log.LogReader;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.Fields;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that a MANIFEST leads to: its records are edits, of which each changes what those
 * before have said.
 */
public final class Manifest {
  /** The name of the order of keys by their unsigned bytes. */
  public static final String BYTEWISE = "leveldb.BytewiseComparator";

  private static final int COMPARATOR = 1;
  private static final int LOG_NUMBER = 2;
  private static final int NEXT_FILE_NUMBER = 3;
  private static final int LAST_SEQUENCE = 4;
  private static final int COMPACTION_POINTER = 5;
  private static final int DELETED_TABLE = 6;
  private static final int NEW_TABLE = 7;
  private static final int PREVIOUS_LOG_NUMBER = 9;

  private static final byte[] NO_VALUE = {};

  private record Place(long level, long number) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int order = Long.compare(level, other.level);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  private final Map<Place, TableFile> tables = new TreeMap<>();
  private String comparator = BYTEWISE;
  private long previousLogNumber;
  private @Nullable Long logNumber;
  private boolean hasNextFileNumber;
  private boolean hasLastSequence;

  private Manifest() {}

  /** Reads a MANIFEST to its end. */
  public static Manifest read(Path path) throws IOException {
    Manifest manifest = new Manifest();
    try (SourceFile file = SourceFile.open(path)) {
      LogReader records = new LogReader(file);
      for (byte[] record = records.next(); record != null; record = records.next()) {
        manifest.apply(new Fields(file, records.recordOffset(), record));
      }
      if (manifest.logNumber == null || !manifest.hasNextFileNumber || !manifest.hasLastSequence) {
        throw file.damaged(file.size(), "it ends, and has not said which log is in use");
      }
    }
    return manifest;
  }

  private void apply(Fields edit) throws SourceException {
    while (!edit.isAtEnd()) {
      long tag = edit.readVarint();
      if (tag == COMPARATOR) {
        comparator = new String(edit.readBytes(), UTF_8);
      } else if (tag == LOG_NUMBER) {
        logNumber = edit.readVarint();
      } else if (tag == PREVIOUS_LOG_NUMBER) {
        previousLogNumber = edit.readVarint();
      } else if (tag == NEXT_FILE_NUMBER) {
        edit.readVarint();
        hasNextFileNumber = true;
      } else if (tag == LAST_SEQUENCE) {
        edit.readVarint();
        hasLastSequence = true;
      } else if (tag == COMPACTION_POINTER) {
        edit.readVarint();
        edit.readBytes();
      } else if (tag == DELETED_TABLE) {
        tables.remove(readPlace(edit));
      } else if (tag == NEW_TABLE) {
        Place place = readPlace(edit);
        edit.readVarint(); // the size
        tables.put(
            place, new TableFile(place.number, readInternalKey(edit), readInternalKey(edit)));
      } else {
        throw edit.damaged(
            "a field of the type " + tag + ", which LevelDB does not have; RocksDB has others");
      }
    }
  }

  private static Place readPlace(Fields edit) throws SourceException {
    return new Place(edit.readVarint(), edit.readVarint());
  }

  private static Entry readInternalKey(Fields edit) throws SourceException {
    byte[] key = edit.readBytes();
    return Entry.ofInternalKey(key, key.length, NO_VALUE, edit);
  }

  /** The name of the order of keys. */
  public String comparator() {
    return comparator;
  }

  /** The tables that count. */
  public List<TableFile> tables() {
    return List.copyOf(tables.values());
  }

  /** The first log that counts, with all of higher numbers; 0 when that are all. */
  public long logNumber() {
    return logNumber == null ? 0 : logNumber;
  }

  /** Another log that counts, or 0: versions of LevelDB before 2011 wrote two at a time. */
  public long previousLogNumber() {
    return previousLogNumber;
  }
}
