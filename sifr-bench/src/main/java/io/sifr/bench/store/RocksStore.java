package io.sifr.bench.store;

import com.google.common.collect.ImmutableList;
import io.sifr.config.Durability;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/** RocksDB, with leveled or universal compaction. */
final class RocksStore implements BenchStore {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final RocksDB db;
  private final Statistics statistics;
  private final WriteOptions writeOptions;
  private final ReadOptions readOptions;
  // Native objects that the open store refers to, in the order in which to free them after it.
  private final ImmutableList<RocksObject> owned;

  private RocksStore(RocksDB db, RocksSettings settings, WriteOptions writeOptions) {
    this.db = db;
    this.statistics = settings.statistics();
    this.writeOptions = writeOptions;
    this.readOptions = new ReadOptions();
    this.owned =
        ImmutableList.<RocksObject>builder()
            .add(readOptions, writeOptions)
            .addAll(settings.owned())
            .build();
  }

  static BenchStore open(Path directory, Terms terms, RocksSettings.Compaction compaction) {
    RocksDB.loadLibrary();
    RocksSettings settings = RocksSettings.of(terms, compaction);
    try {
      RocksDB db = RocksDB.open(settings.options(), directory.toString());
      return new RocksStore(db, settings, writeOptions(terms.durability()));
    } catch (RocksDBException e) {
      settings.owned().forEach(RocksObject::close);
      throw failed(e);
    }
  }

  private static WriteOptions writeOptions(Durability durability) {
    return switch (durability) {
      case NONE -> new WriteOptions().setDisableWAL(true);
      case BUFFERED -> new WriteOptions();
      case SYNC -> new WriteOptions().setSync(true);
    };
  }

  @Override
  public void put(byte[] key, byte[] value) {
    try {
      db.put(writeOptions, key, value);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void delete(byte[] key) {
    try {
      db.delete(writeOptions, key);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    try {
      db.deleteRange(writeOptions, from, to);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void compactRange(byte[] from, byte[] to) {
    try {
      db.compactRange(from, to);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try {
      return db.get(readOptions, key);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    int visited = 0;
    try (RocksIterator iterator = db.newIterator(readOptions)) {
      iterator.seek(from);
      while (visited < limit && iterator.isValid()) {
        visitor.visit(iterator.key(), iterator.value());
        visited++;
        if (visited < limit) {
          iterator.next();
        }
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw failed(e);
    }
    return visited;
  }

  /**
   * Waits until nothing runs and nothing is pending. RocksDB's own call that waits for compactions
   * is not part of its Java interface. Universal compaction may leave its pending flag set when it
   * finds nothing worthwhile: it then counts as done when nothing has happened for a while.
   */
  @Override
  public void drain() {
    try (FlushOptions andWait = new FlushOptions()) {
      db.flush(andWait);
      long quietSince = System.nanoTime();
      long seen = superVersion();
      while (isSet("rocksdb.compaction-pending") || isRunning()) {
        long now = System.nanoTime();
        long version = superVersion();
        if (version != seen || isRunning()) {
          seen = version;
          quietSince = now;
        } else if (now - quietSince > QUIET_NANOS) {
          return;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  private boolean isRunning() throws RocksDBException {
    return isSet("rocksdb.num-running-compactions")
        || isSet("rocksdb.num-running-flushes")
        || isSet("rocksdb.mem-table-flush-pending");
  }

  private boolean isSet(String property) throws RocksDBException {
    return db.getLongProperty(property) != 0;
  }

  /** Increases with each change of the set of files. */
  private long superVersion() throws RocksDBException {
    return db.getLongProperty("rocksdb.current-super-version-number");
  }

  @Override
  public StoreFigures figures() {
    long stallMicros = statistics.getTickerCount(TickerType.STALL_MICROS);
    return new StoreFigures(
        OptionalLong.of(
            statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES)
                + statistics.getTickerCount(TickerType.COMPACT_WRITE_BYTES)),
        OptionalLong.empty(),
        OptionalLong.of(statistics.getTickerCount(TickerType.WAL_FILE_BYTES)),
        OptionalLong.of(TimeUnit.MICROSECONDS.toMillis(stallMicros)),
        OptionalInt.of(sortedRuns()),
        OptionalDouble.empty());
  }

  private int sortedRuns() {
    try {
      int runs = filesAtLevel(0);
      for (int level = 1; level < db.numberLevels(); level++) {
        runs += Math.min(1, filesAtLevel(level));
      }
      return runs;
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  private int filesAtLevel(int level) throws RocksDBException {
    return Integer.parseInt(db.getProperty("rocksdb.num-files-at-level" + level));
  }

  @Override
  public void close() {
    try {
      db.closeE();
    } catch (RocksDBException e) {
      throw failed(e);
    } finally {
      owned.forEach(RocksObject::close);
    }
  }

  private static IllegalStateException failed(RocksDBException e) {
    return new IllegalStateException(e);
  }
}
