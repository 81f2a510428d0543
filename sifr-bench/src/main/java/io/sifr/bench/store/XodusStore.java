package io.sifr.bench.store;

import io.sifr.config.Durability;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.ConfigurationStrategy;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.EnvironmentImpl;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import org.jspecify.annotations.Nullable;

/**
 * Xodus: a copy-on-write B+tree appended to a log, from which a cleaner copies the live data. Each
 * write is a transaction of its own. The log cannot be switched off, as there is nothing else.
 */
final class XodusStore implements BenchStore {
  // It cannot do without one.
  private static final long MIN_CACHE_BYTES = 1 << 20;
  // The block size of the other stores; the default of 64 KiB would fill a cache of a few MiB with
  // unused data: an eighth of the lookups per second at 8 MiB.
  private static final int PAGE_BYTES = 4 << 10;

  private final EnvironmentImpl environment;
  private final Store entries;
  private final long logEndAtOpen;

  private XodusStore(EnvironmentImpl environment) {
    this.environment = environment;
    this.entries =
        environment.computeInTransaction(
            txn -> environment.openStore("entries", StoreConfig.WITHOUT_DUPLICATES, txn));
    this.logEndAtOpen = environment.getLog().getHighAddress();
  }

  static BenchStore open(Path directory, Terms terms) {
    EnvironmentConfig config =
        new EnvironmentConfig(ConfigurationStrategy.IGNORE)
            .setLogDurableWrite(terms.durability() == Durability.SYNC)
            // A shared one would have the size that the first store of the process wanted.
            .setLogCacheShared(false)
            .setMemoryUsage(Math.max(terms.cacheBytes(), MIN_CACHE_BYTES))
            .setLogCachePageSize(PAGE_BYTES)
            .setManagementEnabled(false);
    return new XodusStore((EnvironmentImpl) Environments.newInstance(directory.toFile(), config));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    ByteIterable keyBytes = new ArrayByteIterable(key);
    ByteIterable valueBytes = new ArrayByteIterable(value);
    environment.executeInTransaction(txn -> entries.put(txn, keyBytes, valueBytes));
  }

  @Override
  public void delete(byte[] key) {
    ByteIterable keyBytes = new ArrayByteIterable(key);
    environment.executeInTransaction(txn -> entries.delete(txn, keyBytes));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    ByteIterable found =
        environment.computeInReadonlyTransaction(
            txn -> entries.get(txn, new ArrayByteIterable(key)));
    return found == null ? null : copy(found);
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    return environment.computeInReadonlyTransaction(
        txn -> {
          int visited = 0;
          try (Cursor cursor = entries.openCursor(txn)) {
            boolean found =
                limit > 0 && cursor.getSearchKeyRange(new ArrayByteIterable(from)) != null;
            while (found) {
              visitor.visit(copy(cursor.getKey()), copy(cursor.getValue()));
              visited++;
              found = visited < limit && cursor.getNext();
            }
          }
          return visited;
        });
  }

  private static byte[] copy(ByteIterable bytes) {
    return Arrays.copyOf(bytes.getBytesUnsafe(), bytes.getLength());
  }

  /**
   * Waits for the cleaner if it is running. It runs on a schedule; a round that is not due does not
   * count.
   */
  @Override
  public void drain() {
    environment.gc();
    environment.getGC().waitForPendingGC();
  }

  @Override
  public StoreFigures figures() {
    return new StoreFigures(
        OptionalLong.of(environment.getLog().getHighAddress() - logEndAtOpen),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalInt.of(1),
        OptionalDouble.empty());
  }

  @Override
  public void close() {
    environment.close();
  }
}
