package io.sifr.bench.store;

import com.google.common.collect.ImmutableList;
import io.sifr.config.Compression;
import java.util.Locale;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksObject;
import org.rocksdb.Statistics;

/**
 * The terms as RocksDB's options.
 *
 * @param options the options
 * @param statistics counts what the store does
 * @param owned all native objects, including the options, in the order in which to free them
 */
record RocksSettings(Options options, Statistics statistics, ImmutableList<RocksObject> owned) {
  private static final int BLOOM_BITS = 10;
  // One flush and two compactions at once, as this project's store has by default.
  private static final int BACKGROUND_JOBS = 3;
  // One active write buffer and four that wait for their flush, likewise.
  private static final int WRITE_BUFFERS = 5;

  /** The compaction style of RocksDB. */
  enum Compaction {
    /** One run per level. */
    LEVELED,
    /** Runs of similar size together. */
    UNIVERSAL
  }

  static RocksSettings of(Terms terms, Compaction compaction) {
    ImmutableList.Builder<RocksObject> owned = ImmutableList.builder();
    Statistics statistics = new Statistics();
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setStatistics(statistics)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setCompressionType(type(terms.compression()))
            .setMaxBackgroundJobs(BACKGROUND_JOBS)
            .setMaxWriteBufferNumber(WRITE_BUFFERS)
            .setWriteBufferSize(terms.writeBufferBytes())
            .setUseDirectReads(terms.directReads())
            .setUseDirectIoForFlushAndCompaction(terms.directReads());
    owned.add(options, statistics);
    switch (compaction) {
      case LEVELED -> setLevels(options, terms);
      case UNIVERSAL -> options.setCompactionStyle(CompactionStyle.UNIVERSAL);
    }
    options.setTableFormatConfig(tableFormat(terms, owned));
    return new RocksSettings(options, statistics, owned.build());
  }

  /** RocksDB's names are ours in lower case. */
  private static CompressionType type(Compression compression) {
    String name = compression.name().toLowerCase(Locale.ROOT);
    CompressionType type = CompressionType.getCompressionType(name);
    if (type == CompressionType.NO_COMPRESSION && compression != Compression.NONE) {
      throw new IllegalArgumentException("RocksDB has no compression " + name);
    }
    return type;
  }

  /**
   * The first level as large as the four write buffers that are compacted into it, and files of one
   * write buffer: the ratios RocksDB's defaults have for its default write buffer of 64 MiB.
   * Otherwise a small write buffer would make it rewrite a first level of 256 MiB repeatedly.
   */
  private static void setLevels(Options options, Terms terms) {
    options
        .setMaxBytesForLevelBase(
            terms.writeBufferBytes() * options.level0FileNumCompactionTrigger())
        .setTargetFileSizeBase(terms.writeBufferBytes());
    terms.growthFactor().ifPresent(options::setMaxBytesForLevelMultiplier);
  }

  private static BlockBasedTableConfig tableFormat(
      Terms terms, ImmutableList.Builder<RocksObject> owned) {
    BlockBasedTableConfig format = new BlockBasedTableConfig();
    if (terms.cacheBytes() == 0) {
      format.setNoBlockCache(true);
    } else {
      LRUCache cache = new LRUCache(terms.cacheBytes());
      format.setBlockCache(cache);
      owned.add(cache);
    }
    if (terms.bloom()) {
      BloomFilter filter = new BloomFilter(BLOOM_BITS, false);
      format.setFilterPolicy(filter);
      owned.add(filter);
    }
    return format;
  }
}
