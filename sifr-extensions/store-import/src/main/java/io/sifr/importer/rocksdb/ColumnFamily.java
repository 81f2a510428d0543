package io.sifr.importer.rocksdb;

import io.sifr.importer.KeyValue;
import io.sifr.importer.KeyValues;
import io.sifr.importer.SourceCollection;
import io.sifr.importer.SourceException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** A column family of an open RocksDB, which has its name in Sifr, too. */
record ColumnFamily(RocksDB db, ColumnFamilyHandle handle, String database)
    implements SourceCollection {
  private static final long READAHEAD_BYTES = 2 << 20;

  @Override
  public KeyValues entries(Path scratch) {
    return new Entries(
        // The first option is needed where keys have prefixes that RocksDB knows.
        new ReadOptions()
            .setTotalOrderSeek(true)
            .setFillCache(false)
            .setReadaheadSize(READAHEAD_BYTES));
  }

  private final class Entries implements KeyValues {
    private final ReadOptions options;
    private final RocksIterator iterator;
    private boolean isBegun;

    Entries(ReadOptions options) {
      this.options = options;
      this.iterator = db.newIterator(handle, options);
    }

    @Override
    public @Nullable KeyValue next() throws SourceException {
      if (isBegun) {
        iterator.next();
      } else {
        iterator.seekToFirst();
        isBegun = true;
      }
      if (iterator.isValid()) {
        return new KeyValue(iterator.key(), iterator.value());
      }
      try {
        iterator.status();
        return null;
      } catch (RocksDBException e) {
        throw RocksDbSource.because(e);
      }
    }

    @Override
    public void close() {
      iterator.close();
      options.close();
    }
  }
}
