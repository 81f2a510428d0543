package io.sifr.bench.store;

import com.google.common.math.LongMath;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.ReadOptions;
import org.iq80.leveldb.impl.DbImpl;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.iq80.leveldb.impl.SeekingIteratorAdapter;
import org.iq80.leveldb.impl.SnapshotImpl;
import org.iq80.leveldb.impl.Version;
import org.jspecify.annotations.Nullable;

/**
 * LevelDB in Java. It reads its tables and writes its log through mappings, and ignores the cache
 * size in its options.
 *
 * <p>Synced writes are not offered: the log is mapped a MiB at a time, and of a record that crosses
 * from one mapping to the next only the part in the second is forced to disk.
 */
final class LevelDbStore implements BenchStore {
  private static final long TABLE_BYTES = 2 << 20;
  // Each open table is a mapping, and Linux allows a process 65530 of them.
  private static final long MAX_OPEN_TABLES = 20_000;
  private static final int READ_ATTEMPTS = 10;

  private final DbImpl db;

  private LevelDbStore(DbImpl db) {
    this.db = db;
  }

  static BenchStore open(Path directory, Terms terms, long expectedBytes) {
    Options options =
        new Options()
            .compressionType(CompressionType.NONE)
            .writeBufferSize(Math.toIntExact(terms.writeBufferBytes()))
            .maxOpenFiles(openTables(expectedBytes));
    try {
      return new LevelDbStore((DbImpl) Iq80DBFactory.factory.open(directory.toFile(), options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Enough for all tables, including those not compacted yet, so that none is opened twice. */
  private static int openTables(long expectedBytes) {
    long tables = LongMath.divide(expectedBytes, TABLE_BYTES, RoundingMode.CEILING);
    return Math.toIntExact(Math.min(1000 + 2 * tables, MAX_OPEN_TABLES));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    db.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    db.delete(key);
  }

  /**
   * Retries when a table is gone: a lookup does not hold the tables of the version it reads, so a
   * compaction may delete one before it is opened. The retry reads a newer version.
   */
  @Override
  public byte @Nullable [] get(byte[] key) {
    for (int attempt = 1; ; attempt++) {
      try {
        return db.get(key);
      } catch (RuntimeException e) {
        if (attempt == READ_ATTEMPTS || !(e.getCause() instanceof FileNotFoundException)) {
          throw e;
        }
      }
    }
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    int visited = 0;
    try (Moment moment = moment()) {
      moment.iterator.seek(from);
      while (visited < limit && moment.iterator.hasNext()) {
        Map.Entry<byte[], byte[]> entry = moment.iterator.next();
        visitor.visit(entry.getKey(), entry.getValue());
        visited++;
      }
    }
    return visited;
  }

  /** An iterator, and the snapshot that keeps the tables it reads. */
  private record Moment(SnapshotImpl snapshot, SeekingIteratorAdapter iterator)
      implements AutoCloseable {
    @Override
    public void close() {
      iterator.close();
      snapshot.close();
    }
  }

  /**
   * A snapshot keeps the tables of its version, but the store gives an iterator those of the newest
   * one: they must be the same, or a compaction could delete what the iterator has yet to open.
   */
  private Moment moment() {
    while (true) {
      SnapshotImpl snapshot = snapshot();
      Moment moment = new Moment(snapshot, db.iterator(new ReadOptions().snapshot(snapshot)));
      if (snapshot.getVersion() == newestVersion()) {
        return moment;
      }
      moment.close();
    }
  }

  private SnapshotImpl snapshot() {
    return (SnapshotImpl) db.getSnapshot();
  }

  private Version newestVersion() {
    try (SnapshotImpl snapshot = snapshot()) {
      return snapshot.getVersion();
    }
  }

  @Override
  public void drain() {
    db.flushMemTable();
    while (hasCompactionToDo()) {
      Thread.onSpinWait();
    }
  }

  /**
   * Checks while compactions are suspended, because suspending waits for the running one: if there
   * is more to do, the next one is queued by then, and the next suspension waits for that.
   */
  private boolean hasCompactionToDo() {
    try {
      db.suspendCompactions();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while draining", e);
    }
    try {
      Version version = newestVersion();
      return version.getCompactionScore() >= 1 || version.getFileToCompact() != null;
    } finally {
      db.resumeCompactions();
    }
  }

  @Override
  public StoreFigures figures() {
    Version version = newestVersion();
    int runs = version.numberOfFilesInLevel(0);
    for (int level = 1; level < version.numberOfLevels(); level++) {
      runs += Math.min(1, version.numberOfFilesInLevel(level));
    }
    return new StoreFigures(
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalInt.of(runs),
        OptionalDouble.empty());
  }

  @Override
  public void close() {
    db.close();
  }
}
