package io.sifr.bench.store;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** This project's store, through its public API. */
final class SifrStore implements BenchStore {
  /**
   * As RocksDB has by default: the first level is as large as what is compacted into it at once.
   */
  private static final int TREES_IN_FIRST_LEVEL = 4;

  private final Store store;
  private final Database database;
  private final StoreStatistics atOpen;

  private SifrStore(Store store) {
    this.store = store;
    this.database = store.database();
    this.atOpen = store.statistics();
  }

  static BenchStore open(
      Path directory, Terms terms, CompactionPolicy.Kind policy, StoreListener listener) {
    StoreOptions.Builder options =
        StoreOptions.builder()
            .compaction(policy(policy, terms))
            .durability(terms.durability())
            .writeBufferBytes(terms.writeBufferBytes())
            .readMode(terms.directReads() ? ReadMode.DIRECT : ReadMode.AUTO)
            .blockCacheBytes(terms.cacheBytes())
            .compression(terms.compression())
            .filterBitsPerKey(terms.bloom() ? 10 : 0)
            .searchScheme(terms.search());
    if (terms.search() != SearchScheme.SERIAL) {
      options.searchThreads(terms.searchThreads());
    }
    terms.settings().forEach(options::set);
    return new SifrStore(
        Store.builder(directory).options(options.build()).listener(listener).open());
  }

  /** With as many trees, or levels as much larger, as the terms say. */
  private static CompactionPolicy policy(CompactionPolicy.Kind kind, Terms terms) {
    CompactionPolicy policy = CompactionPolicy.of(kind);
    if (kind == CompactionPolicy.Kind.LEVELED) {
      policy =
          policy.with("firstLevel", Long.toString(TREES_IN_FIRST_LEVEL * terms.writeBufferBytes()));
    }
    if (terms.growthFactor().isEmpty()) {
      return policy;
    }
    int factor = terms.growthFactor().getAsInt();
    return switch (kind) {
      case LEVELED -> policy.with("factor", Integer.toString(factor));
      case GUARDED -> CompactionPolicy.guarded(factor, factor - 1);
      default -> policy.with("growthFactor", Integer.toString(factor));
    };
  }

  @Override
  public void put(byte[] key, byte[] value) {
    database.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    database.delete(key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    database.deleteRange(KeyRange.between(from, to));
  }

  @Override
  public void compactRange(byte[] from, byte[] to) {
    database.compact(KeyRange.between(from, to));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return database.get(key);
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    int visited = 0;
    try (Cursor cursor = database.cursor(KeyRange.atLeast(from))) {
      while (visited < limit && cursor.next()) {
        visitor.visit(cursor.key(), cursor.value());
        visited++;
      }
    }
    return visited;
  }

  @Override
  public void drain() {
    store.flush();
    store.awaitIdle();
  }

  @Override
  public StoreFigures figures() {
    StoreStatistics now = store.statistics();
    return new StoreFigures(
        OptionalLong.of(
            now.get(Metric.FLUSH_BYTES)
                + now.get(Metric.COMPACTION_BYTES)
                - atOpen.get(Metric.FLUSH_BYTES)
                - atOpen.get(Metric.COMPACTION_BYTES)),
        OptionalLong.of(now.get(Metric.MOVED_BYTES) - atOpen.get(Metric.MOVED_BYTES)),
        OptionalLong.of(now.get(Metric.LOG_BYTES) - atOpen.get(Metric.LOG_BYTES)),
        OptionalLong.of(now.get(Metric.STALL_MILLIS) - atOpen.get(Metric.STALL_MILLIS)),
        OptionalInt.of((int) now.get(Metric.TREES)),
        OptionalDouble.of(now.get(Metric.SPACE_AMPLIFICATION)));
  }

  @Override
  public void close() {
    store.close();
  }
}
