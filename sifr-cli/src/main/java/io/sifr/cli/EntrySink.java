package io.sifr.cli;

import io.sifr.BulkLoader;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;

/** The destination of the entries of a load. */
interface EntrySink extends AutoCloseable {
  /**
   * Adds an entry.
   *
   * @throws IllegalArgumentException when key or value are too long
   */
  void put(byte[] key, byte[] value);

  /** Makes all entries part of the database; none follows. */
  void finish();

  /** Releases what it uses. */
  @Override
  void close();

  /** Puts of single entries. */
  static EntrySink ofPuts(Database database) {
    return new EntrySink() {
      @Override
      public void put(byte[] key, byte[] value) {
        database.put(key, value);
      }

      @Override
      public void finish() {}

      @Override
      public void close() {}
    };
  }

  /** Batches, so that the entries of one share a sync. */
  static EntrySink ofBatches(Store store, Database database) {
    return new Batches(store, database);
  }

  /** A bulk load. */
  static EntrySink ofBulkLoad(Database database) {
    BulkLoader loader = database.bulkLoader().open();
    return new EntrySink() {
      @Override
      public void put(byte[] key, byte[] value) {
        loader.put(key, value);
      }

      @Override
      public void finish() {
        loader.finish();
      }

      @Override
      public void close() {
        loader.close();
      }
    };
  }

  /** Writes a batch whenever it is large enough. */
  final class Batches implements EntrySink {
    private static final int BATCH_ENTRIES = 1000;
    private static final int BATCH_BYTES = 1 << 20;

    private final Store store;
    private final Database database;
    private final WriteBatch batch = new WriteBatch();

    private Batches(Store store, Database database) {
      this.store = store;
      this.database = database;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      batch.put(database, key, value);
      if (batch.size() >= BATCH_ENTRIES || batch.bytes() >= BATCH_BYTES) {
        finish();
      }
    }

    @Override
    public void finish() {
      store.write(batch);
      batch.clear();
    }

    @Override
    public void close() {}
  }
}
