package io.sifr.leveldb.importer;

import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import io.sifr.leveldb.importer.source.SourceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads all entries of a LevelDB directory into a new store, and compares both afterwards, for
 * which it reads the directory a second time. The store is made beside its place, and moved there
 * when it is right: if anything is wrong, or the process is killed, there is none.
 */
final class Import {
  /** The longest key and the longest value of a store. */
  private static final int MOST_KEY_BYTES = 1 << 16;

  private static final int MOST_VALUE_BYTES = 1 << 29;

  private final Path directory;
  private final Path target;
  private final String databaseName;
  private final @Nullable Compression givenCompression;
  private final SourceOptions sourceOptions;
  private final ImportProgress progress;

  /**
   * An import.
   *
   * @param directory of LevelDB
   * @param target where the store will be; nothing may be there
   * @param databaseName of the database that gets the entries
   * @param givenCompression how its blocks are stored; null for LZ4 if LevelDB's are compressed,
   *     and otherwise as the store does
   * @param sourceOptions how the directory is read
   */
  Import(
      Path directory,
      Path target,
      String databaseName,
      @Nullable Compression givenCompression,
      SourceOptions sourceOptions,
      ImportProgress progress) {
    this.directory = directory;
    this.target = target;
    this.databaseName = databaseName;
    this.givenCompression = givenCompression;
    this.sourceOptions = sourceOptions;
    this.progress = progress;
  }

  /**
   * Makes the store.
   *
   * @throws IOException when that is not possible; the message says why
   */
  ImportResult run() throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new SourceException("there is something at " + target + " already");
    }
    try (Source source = Source.open(directory, sourceOptions);
        WorkDirectory work = WorkDirectory.beside(target)) {
      ImportResult result = load(source, work);
      source.requireUnchanged();
      work.moveStoreTo(target);
      return result;
    }
  }

  private ImportResult load(Source source, WorkDirectory work) throws IOException {
    @Nullable Compression compression = givenCompression;
    if (compression == null && source.isCompressed()) {
      compression = Compression.LZ4;
    }
    try (Store store = Store.open(work.store())) {
      DatabaseOptions options = DatabaseOptions.builder().compression(compression).build();
      Database database = store.openOrCreateDatabase(databaseName);
      store.alterDatabase(databaseName, options);
      long bytes;
      long entries;
      try (EntrySource from = source.entries(work.forFiles("load"))) {
        Loaded loaded = load(from, database);
        bytes = loaded.bytes();
        entries = loaded.entries();
      }
      try (EntrySource from = source.entries(work.forFiles("compare"))) {
        compare(from, database, entries);
      }
      return new ImportResult(
          entries,
          bytes,
          source.tableCount(),
          source.logCount(),
          compression == null ? store.options().compression() : compression,
          source.omission());
    }
  }

  private record Loaded(long entries, long bytes) {}

  private Loaded load(EntrySource from, Database database) throws IOException {
    long entries = 0;
    long bytes = 0;
    progress.begin("read", 0);
    try (BulkLoader loader = database.bulkLoader().progress(this::written).open()) {
      for (Entry entry = from.next(); entry != null; entry = from.next()) {
        requireFits(entry);
        loader.put(entry.key(), entry.value());
        bytes += entry.key().length + entry.value().length;
        progress.update(++entries);
      }
      progress.begin("write", entries);
      loader.finish();
    }
    return new Loaded(entries, bytes);
  }

  private void written(BulkLoader.Progress written) {
    if (written.written() > 0) {
      progress.update(written.written());
    }
  }

  private static void requireFits(Entry entry) throws SourceException {
    if (entry.key().length > MOST_KEY_BYTES) {
      throw new SourceException(
          Entry.describe(entry.key())
              + " is too long: a key of a store has up to "
              + MOST_KEY_BYTES
              + " bytes");
    } else if (entry.value().length > MOST_VALUE_BYTES) {
      throw new SourceException(
          "the value of "
              + Entry.describe(entry.key())
              + " has "
              + entry.value().length
              + " bytes; one of a store has up to "
              + MOST_VALUE_BYTES);
    }
  }

  private void compare(EntrySource from, Database database, long entries) throws IOException {
    long compared = 0;
    progress.begin("compare", entries);
    try (Cursor to = database.cursor()) {
      for (Entry entry = from.next(); entry != null; entry = from.next()) {
        if (!to.next()
            || !Arrays.equals(to.key(), entry.key())
            || !Arrays.equals(to.value(), entry.value())) {
          throw new SourceException(
              "the store differs from it at " + Entry.describe(entry.key()) + "; nothing was kept");
        }
        progress.update(++compared);
      }
      if (to.next() || compared != entries) {
        throw new SourceException(
            "it had " + entries + " entries, then " + compared + ", and the store has others");
      }
    }
  }
}
