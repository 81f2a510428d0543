package io.sifr.leveldb.importer;

import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.LongConsumer;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.ReadOptions;

/**
 * Reads all entries of a LevelDB directory into a new store, and compares both afterwards. If
 * anything is wrong, there is no store in the end.
 */
final class Import {
  private final Path source;
  private final Path target;
  private final LongConsumer progress;

  /**
   * An import.
   *
   * @param source a LevelDB directory
   * @param target where the store will be; nothing may be there
   * @param progress told how many entries were read, and then how many were compared
   */
  Import(Path source, Path target, LongConsumer progress) {
    this.source = source;
    this.target = target;
    this.progress = progress;
  }

  /**
   * Makes the store.
   *
   * @return number of its entries
   * @throws ImportException when that is not possible; the message says why
   */
  long run() throws ImportException {
    if (Files.exists(target)) {
      throw new ImportException("there is something at " + target + " already");
    }
    long entries;
    try (LevelDbCopy copy = LevelDbCopy.of(source, target)) {
      try (DB levelDb = copy.open();
          Store store = Store.open(target)) {
        entries = load(levelDb, store.database());
        compare(levelDb, store.database(), entries);
      } catch (IOException | RuntimeException e) {
        destroy();
        throw new ImportException(reason(e), e);
      } catch (ImportException e) {
        destroy();
        throw e;
      }
    } catch (IOException e) {
      throw new ImportException(reason(e), e);
    }
    return entries;
  }

  private static String reason(Exception e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return e instanceof DBException || e instanceof UncheckedIOException
        ? "the LevelDB directory cannot be read: " + message
        : message;
  }

  private void destroy() {
    try {
      Store.destroy(target);
    } catch (SifrException | IllegalArgumentException e) {
      // It was not created, or what stopped the import stops this, too, and was said.
    }
  }

  private static DBIterator iterator(DB levelDb) {
    DBIterator iterator =
        levelDb.iterator(new ReadOptions().verifyChecksums(true).fillCache(false));
    iterator.seekToFirst();
    return iterator;
  }

  private long load(DB levelDb, Database database) throws IOException {
    long entries = 0;
    try (DBIterator from = iterator(levelDb);
        BulkLoader loader = database.bulkLoader().open()) {
      while (from.hasNext()) {
        Map.Entry<byte[], byte[]> entry = from.next();
        loader.put(entry.getKey(), entry.getValue());
        entries++;
        progress.accept(entries);
      }
      loader.finish();
    }
    return entries;
  }

  private void compare(DB levelDb, Database database, long entries)
      throws IOException, ImportException {
    long compared = 0;
    try (DBIterator from = iterator(levelDb);
        Cursor to = database.cursor()) {
      while (from.hasNext()) {
        Map.Entry<byte[], byte[]> entry = from.next();
        if (!to.next()
            || !Arrays.equals(to.key(), entry.getKey())
            || !Arrays.equals(to.value(), entry.getValue())) {
          throw new ImportException(
              "the store differs at the key " + HexFormat.of().formatHex(entry.getKey()));
        }
        compared++;
        progress.accept(compared);
      }
      if (to.next() || compared != entries) {
        throw new ImportException(
            "LevelDB had " + entries + " entries, then " + compared + ", and the store has others");
      }
    }
  }
}
