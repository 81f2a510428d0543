package io.sifr.importer;

import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads all entries of a source into a new store, and compares both afterwards, for which it reads
 * the source a second time. The store is made beside its place, and moved there when it is right:
 * if anything is wrong, or the process is killed, there is none.
 */
public final class Import {
  private final Path target;
  private final @Nullable Compression givenCompression;
  private final ImportProgress progress;

  /**
   * An import.
   *
   * @param target where the store will be; nothing may be there
   * @param givenCompression how its blocks are stored; null for LZ4 if the source is compressed,
   *     and otherwise as the store does
   */
  public Import(Path target, @Nullable Compression givenCompression, ImportProgress progress) {
    this.target = target;
    this.givenCompression = givenCompression;
    this.progress = progress;
  }

  /**
   * Makes the store.
   *
   * @param opener of the source, which is closed in the end
   * @throws IOException when that is not possible; the message says why
   */
  public ImportResult run(ImportSource.Opener<?> opener) throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new SourceException("there is something at " + target + " already");
    }
    try (ImportSource source = opener.open();
        WorkDirectory work = WorkDirectory.beside(target)) {
      ImportResult result = load(source, work);
      source.requireUnchanged();
      work.moveStoreTo(target);
      return result;
    }
  }

  private ImportResult load(ImportSource source, WorkDirectory work) throws IOException {
    @Nullable Compression compression = givenCompression;
    if (compression == null && source.isCompressed()) {
      compression = Compression.LZ4;
    }
    DatabaseOptions options = DatabaseOptions.builder().compression(compression).build();
    List<ImportResult.Part> parts = new ArrayList<>();
    try (Store store = Store.open(work.store())) {
      for (SourceCollection from : source.collections()) {
        Database to = store.openOrCreateDatabase(from.database());
        store.alterDatabase(from.database(), options);
        parts.add(load(from, to, work));
      }
      for (int i = 0; i < parts.size(); i++) {
        SourceCollection from = source.collections().get(i);
        compare(from, store.database(from.database()), parts.get(i).entries(), work);
      }
      return new ImportResult(
          parts, compression == null ? store.options().compression() : compression);
    }
  }

  private ImportResult.Part load(SourceCollection source, Database database, WorkDirectory work)
      throws IOException {
    long entries = 0;
    long bytes = 0;
    progress.begin("read", 0);
    try (KeyValues from = source.entries(work.forFiles());
        BulkLoader loader = database.bulkLoader().progress(this::written).open()) {
      for (KeyValue entry = from.next(); entry != null; entry = from.next()) {
        entry.requireFits();
        loader.put(entry.key(), entry.value());
        bytes += entry.key().length + entry.value().length;
        progress.update(++entries);
      }
      progress.begin("write", entries);
      loader.finish();
    }
    return new ImportResult.Part(source.database(), entries, bytes);
  }

  private void written(BulkLoader.Progress written) {
    if (written.written() > 0) {
      progress.update(written.written());
    }
  }

  private void compare(SourceCollection source, Database database, long entries, WorkDirectory work)
      throws IOException {
    long compared = 0;
    progress.begin("compare", entries);
    try (KeyValues from = source.entries(work.forFiles());
        Cursor to = database.cursor()) {
      for (KeyValue entry = from.next(); entry != null; entry = from.next()) {
        if (!to.next()
            || !Arrays.equals(to.key(), entry.key())
            || !Arrays.equals(to.value(), entry.value())) {
          throw new SourceException(
              "the store differs from it at "
                  + KeyValue.describe(entry.key())
                  + "; nothing was kept");
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
