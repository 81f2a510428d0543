package io.sifr.bench.store;

import com.google.common.math.LongMath;
import io.sifr.config.Durability;
import java.math.RoundingMode;
import java.nio.file.Path;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/**
 * MVStore, the storage of H2: a copy-on-write B+tree whose pages are appended to one file, one
 * chunk per commit.
 *
 * <p>A write reaches the file with the next commit, so a durable write must be committed before it
 * returns. Background commits, which otherwise collect writes, are off then: one of them could
 * include a write and still be writing it when the writer's own commit finds nothing to do and
 * returns.
 */
final class MvStore implements BenchStore {
  // Obsolete pages are kept for 45 s, in case power fails before their successors are on disk:
  // gigabytes, with one commit per write. Without that promise it suffices to wait for readers that
  // still use them.
  private static final int RETENTION_MILLIS_UNSYNCED = 1000;

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  private final MVStore store;
  private final MVMap<byte[], byte[]> map;
  private final Durability durability;

  private MvStore(MVStore store, Durability durability) {
    this.store = store;
    this.durability = durability;
    this.map =
        store.openMap(
            "entries",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
  }

  static BenchStore open(Path directory, Terms terms) {
    MVStore.Builder builder =
        new MVStore.Builder()
            .fileName(directory.resolve("entries.mv").toString())
            .cacheSize(roundedUp(terms.cacheBytes(), MIB));
    if (terms.durability() == Durability.NONE) {
      builder.autoCommitBufferSize(roundedUp(terms.writeBufferBytes(), KIB));
    } else {
      builder.autoCommitBufferSize(0).autoCommitDisabled();
    }
    MVStore store = builder.open();
    if (terms.durability() != Durability.SYNC) {
      store.setRetentionTime(RETENTION_MILLIS_UNSYNCED);
    }
    return new MvStore(store, terms.durability());
  }

  private static int roundedUp(long bytes, long unit) {
    return Math.toIntExact(LongMath.divide(bytes, unit, RoundingMode.CEILING));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(key, value);
    commit();
  }

  @Override
  public void delete(byte[] key) {
    map.remove(key);
    commit();
  }

  private void commit() {
    switch (durability) {
      case NONE -> {}
      case BUFFERED -> store.commit();
      case SYNC -> {
        store.commit();
        store.sync();
      }
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return map.get(key);
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    int visited = 0;
    // Prevents the current pages from being reclaimed.
    MVStore.TxCounter use = store.registerVersionUsage();
    try {
      Cursor<byte[], byte[]> cursor = map.cursor(from);
      while (visited < limit && cursor.hasNext()) {
        visitor.visit(cursor.next(), cursor.getValue());
        visited++;
      }
    } finally {
      store.deregisterVersionUsage(use);
    }
    return visited;
  }

  @Override
  public void drain() {
    store.commit();
  }

  @Override
  public StoreFigures figures() {
    return StoreFigures.ONE_TREE;
  }

  @Override
  public void close() {
    store.close();
  }
}
