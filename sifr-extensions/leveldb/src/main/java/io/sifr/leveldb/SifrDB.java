package io.sifr.leveldb;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.error.SifrException;
import java.util.Arrays;
import java.util.function.Supplier;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Range;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.jspecify.annotations.Nullable;

/** A store as a database of LevelDB's interface. Thread-safe. */
final class SifrDB implements DB {
  private static final io.sifr.config.WriteOptions BUFFERED = io.sifr.config.WriteOptions.BUFFERED;

  private final Store store;
  private final Database database;

  /** The number of times that compactions were suspended and not resumed; guarded by this. */
  private int suspended;

  SifrDB(Store store) {
    this.store = store;
    this.database = store.database();
  }

  /** Has the exceptions that the interface promises. */
  static <T extends @Nullable Object> T call(Supplier<T> action) {
    try {
      return action.get();
    } catch (IllegalStateException e) {
      throw new DBException("closed: " + e.getMessage(), e);
    } catch (SifrException e) {
      throw new DBException(e.getMessage(), e);
    }
  }

  static void run(Runnable action) {
    var unused =
        call(
            () -> {
              action.run();
              return null;
            });
  }

  private static ReadOptions read(org.iq80.leveldb.ReadOptions options) {
    return options.snapshot() == null
        ? ReadOptions.DEFAULT
        : ReadOptions.at(((SifrSnapshot) options.snapshot()).snapshot());
  }

  private static io.sifr.config.WriteOptions write(WriteOptions options) {
    return options.sync() ? io.sifr.config.WriteOptions.SYNC : BUFFERED;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return call(() -> database.get(key));
  }

  @Override
  public byte @Nullable [] get(byte[] key, org.iq80.leveldb.ReadOptions options) {
    return call(() -> database.get(key, read(options)));
  }

  @Override
  public DBIterator iterator() {
    return call(() -> new SifrIterator(database.cursor()));
  }

  @Override
  public DBIterator iterator(org.iq80.leveldb.ReadOptions options) {
    return call(() -> new SifrIterator(database.cursor(KeyRange.all(), read(options))));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    run(() -> database.put(key, value, BUFFERED));
  }

  @Override
  public void delete(byte[] key) {
    run(() -> database.delete(key, BUFFERED));
  }

  @Override
  public void write(WriteBatch updates) {
    run(() -> store.write(((SifrBatch) updates).batch(), BUFFERED));
  }

  @Override
  public WriteBatch createWriteBatch() {
    return new SifrBatch(database);
  }

  @Override
  public org.iq80.leveldb.@Nullable Snapshot put(byte[] key, byte[] value, WriteOptions options) {
    run(() -> database.put(key, value, write(options)));
    return snapshotIfWanted(options);
  }

  @Override
  public org.iq80.leveldb.@Nullable Snapshot delete(byte[] key, WriteOptions options) {
    run(() -> database.delete(key, write(options)));
    return snapshotIfWanted(options);
  }

  @Override
  public org.iq80.leveldb.@Nullable Snapshot write(WriteBatch updates, WriteOptions options) {
    run(() -> store.write(((SifrBatch) updates).batch(), write(options)));
    return snapshotIfWanted(options);
  }

  /** Of after the write; it may contain later ones of other threads. */
  private org.iq80.leveldb.@Nullable Snapshot snapshotIfWanted(WriteOptions options) {
    return options.snapshot() ? getSnapshot() : null;
  }

  @Override
  public org.iq80.leveldb.Snapshot getSnapshot() {
    return call(() -> new SifrSnapshot(store.snapshot()));
  }

  @Override
  public long[] getApproximateSizes(Range... ranges) {
    return call(
        () ->
            Arrays.stream(ranges)
                .mapToLong(range -> database.estimate(range(range)).fileBytes())
                .toArray());
  }

  private static KeyRange range(Range range) {
    return KeyRange.between(range.start(), range.limit());
  }

  @Override
  public @Nullable String getProperty(@Nullable String name) {
    if (name == null) {
      throw new IllegalArgumentException("name is null");
    }
    return call(() -> Properties.of(store, database, name));
  }

  /** As often as it is called, {@link #resumeCompactions} has to be called. */
  @Override
  public synchronized void suspendCompactions() {
    run(store::pauseCompactions);
    suspended++;
  }

  @Override
  public synchronized void resumeCompactions() {
    if (suspended > 0 && --suspended == 0) {
      run(store::resumeCompactions);
    }
  }

  /** From a key to another, both inclusive; null has no end. */
  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    KeyRange from = begin == null ? KeyRange.all() : KeyRange.atLeast(begin);
    KeyRange to = end == null ? KeyRange.all() : KeyRange.atMost(end);
    run(() -> database.compact(from.and(to)));
  }

  @Override
  public void close() {
    run(store::close);
  }

  @Override
  public String toString() {
    return "SifrDB[" + store.directory() + "]";
  }

  /** A snapshot of the store. */
  record SifrSnapshot(Snapshot snapshot) implements org.iq80.leveldb.Snapshot {
    @Override
    public void close() {
      snapshot.close();
    }
  }

  /** Writes that are made together. Not thread-safe. */
  record SifrBatch(Database database, io.sifr.WriteBatch batch) implements WriteBatch {
    SifrBatch(Database database) {
      this(database, new io.sifr.WriteBatch());
    }

    @Override
    public WriteBatch put(byte[] key, byte[] value) {
      batch.put(database, key, value);
      return this;
    }

    @Override
    public WriteBatch delete(byte[] key) {
      batch.delete(database, key);
      return this;
    }

    @Override
    public void close() {
      batch.clear();
    }
  }
}
