package io.sifr.leveldb.importer;

import io.sifr.importer.ImportSource;
import io.sifr.importer.KeyValue;
import io.sifr.importer.KeyValues;
import io.sifr.importer.SourceCollection;
import io.sifr.importer.SourceException;
import io.sifr.importer.SourceLock;
import io.sifr.importer.SourceState;
import io.sifr.leveldb.importer.log.LogEntries;
import io.sifr.leveldb.importer.manifest.Manifest;
import io.sifr.leveldb.importer.manifest.TableFile;
import io.sifr.leveldb.importer.merge.MergedEntries;
import io.sifr.leveldb.importer.merge.NewestEntries;
import io.sifr.leveldb.importer.merge.PendingSource;
import io.sifr.leveldb.importer.merge.SortedRuns;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import io.sifr.leveldb.importer.table.TableEntries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A LevelDB directory: the files in it that count, and their entries. Nothing in it is changed, and
 * it is locked as far as that is possible.
 */
final class LevelDbSource implements ImportSource, SourceCollection {
  private static final Pattern LOG_NAME = Pattern.compile("([0-9]{1,18})\\.log");

  /** The second is what LevelDB called tables before 2014, and its Java ports do. */
  private static final List<String> TABLE_ENDINGS = List.of(".ldb", ".sst");

  private final Path directory;
  private final String database;
  private final SourceOptions options;
  private final SourceLock lock;
  private final SourceState state;
  private final String current;
  private final Manifest manifest;
  private final SortedMap<Long, Path> logs;

  /** The part that was not read, for the user; null when all was. */
  private @Nullable String omission;

  private LevelDbSource(Path directory, String database, SourceOptions options, SourceLock lock)
      throws IOException {
    this.directory = directory;
    this.database = database;
    this.options = options;
    this.lock = lock;
    this.state = SourceState.of(directory);
    this.current = CurrentFile.read(directory);
    Path manifestFile = CurrentFile.manifest(directory);
    this.manifest = Manifest.read(manifestFile);
    this.logs = logs();
    if (!isBytewise() && !options.ignoresComparator()) {
      throw new SourceException(
          "its keys are in the order of the comparator "
              + manifest.comparator()
              + ", and a store has them in the order of their bytes; --ignore-comparator imports"
              + " them in that order");
    }
    if (manifest.logNumber() != 0 && !logs.containsKey(manifest.logNumber())) {
      throw new SourceException(
          manifestFile.getFileName()
              + " names the log of the number "
              + manifest.logNumber()
              + ", which is not there");
    }
  }

  /**
   * Opens a directory.
   *
   * @param database that gets the entries
   */
  static LevelDbSource open(Path directory, String database, SourceOptions options)
      throws IOException {
    CurrentFile.requireLevelDb(directory);
    SourceLock lock = SourceLock.take(directory);
    try {
      return new LevelDbSource(directory, database, options, lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private boolean isBytewise() {
    return manifest.comparator().equals(Manifest.BYTEWISE);
  }

  private SortedMap<Long, Path> logs() throws IOException {
    SortedMap<Long, Path> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Matcher name = LOG_NAME.matcher(file.getFileName().toString());
        if (name.matches()) {
          long number = Long.parseLong(name.group(1));
          if (number >= manifest.logNumber() || number == manifest.previousLogNumber()) {
            found.put(number, file);
          }
        }
      }
    }
    return found;
  }

  private Path path(TableFile table) throws SourceException {
    String number = String.format(Locale.ROOT, "%06d", table.number());
    for (String ending : TABLE_ENDINGS) {
      Path file = directory.resolve(number + ending);
      if (Files.exists(file)) {
        return file;
      }
    }
    throw new SourceException(
        "the table "
            + number
            + " is not there, neither with the ending "
            + String.join(" nor ", TABLE_ENDINGS));
  }

  private TableEntries open(TableFile table) throws IOException {
    @Nullable Comparator<Entry> order = isBytewise() ? Comparator.naturalOrder() : null;
    return TableEntries.open(path(table), table, order);
  }

  int tableCount() {
    return manifest.tables().size();
  }

  int logCount() {
    return logs.size();
  }

  /** Whether its writer compresses blocks: looks at the first ones of each table until one is. */
  @Override
  public boolean isCompressed() throws IOException {
    for (TableFile table : manifest.tables()) {
      try (TableEntries entries = open(table)) {
        entries.next();
        if (entries.hasCompressedBlocks()) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public List<SourceCollection> collections() {
    return List.of(this);
  }

  @Override
  public String database() {
    return database;
  }

  @Override
  public KeyValues entries(Path scratch) throws IOException {
    EntrySource newest = newest(scratch);
    return new KeyValues() {
      @Override
      public @Nullable KeyValue next() throws IOException {
        @Nullable Entry entry = newest.next();
        return entry == null ? null : new KeyValue(entry.key(), entry.value());
      }

      @Override
      public void close() throws IOException {
        newest.close();
      }
    };
  }

  /** With the values that the keys have in the end. */
  private EntrySource newest(Path scratch) throws IOException {
    SortedRuns runs = new SortedRuns(scratch, options.sortMemoryBytes());
    List<PendingSource> sorted = new ArrayList<>();
    for (TableFile table : manifest.tables()) {
      if (isBytewise()) {
        sorted.add(new PendingSource(table.smallest(), () -> open(table)));
      } else {
        try (TableEntries entries = open(table)) {
          addAll(entries, runs);
        }
      }
    }
    omission = null;
    try {
      readLogs(runs);
    } catch (SourceException e) {
      if (!options.readsUntilDamage()) {
        throw e;
      }
      omission = e.getMessage();
    }
    sorted.addAll(runs.finish());
    return new NewestEntries(new MergedEntries(sorted));
  }

  private void readLogs(SortedRuns runs) throws IOException {
    @Nullable Path torn = null;
    for (Path log : logs.values()) {
      try (LogEntries entries = LogEntries.open(log)) {
        @Nullable Entry first = entries.next();
        if (first != null && torn != null) {
          throw SourceException.damaged(
              torn, Files.size(torn), "it ends within a record, and a later log has entries");
        } else if (first != null) {
          runs.add(first);
          addAll(entries, runs);
        }
        torn = entries.isTorn() ? log : torn;
      }
    }
  }

  private static void addAll(EntrySource entries, SortedRuns runs) throws IOException {
    for (Entry entry = entries.next(); entry != null; entry = entries.next()) {
      runs.add(entry);
    }
  }

  /** Damage at which the logs were left, if the options say that they may be; or null. */
  @Nullable String omission() {
    return omission;
  }

  @Override
  public void requireUnchanged() throws IOException {
    if (!current.equals(CurrentFile.read(directory))) {
      throw SourceState.changed("CURRENT");
    }
    state.requireUnchanged(SourceState.of(directory));
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
