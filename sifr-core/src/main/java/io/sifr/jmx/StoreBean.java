package io.sifr.jmx;

import io.sifr.Store;
import io.sifr.event.StoreStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The bean of one store. Thread-safe. */
final class StoreBean implements StoreMXBean {
  /** A console asks for all attributes one after the other. */
  private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Store store;

  // Guarded by this.
  private @Nullable StoreStatistics newest;
  private long takenAt;

  StoreBean(Store store) {
    this.store = store;
  }

  private synchronized StoreStatistics statistics() {
    long now = System.nanoTime();
    StoreStatistics known = newest;
    if (known == null || now - takenAt >= AGE_NANOS) {
      known = store.statistics();
      newest = known;
      takenAt = now;
    }
    return known;
  }

  @Override
  public String getDirectory() {
    return store.directory().toString();
  }

  @Override
  public String[] getDatabaseNames() {
    return store.databaseNames().toArray(String[]::new);
  }

  @Override
  public Map<String, Long> getMerges() {
    Map<String, Long> merges = new TreeMap<>();
    statistics().compactions().ended().forEach((reason, n) -> merges.put(reason.name(), n));
    return merges;
  }

  @Override
  public long getUserBytes() {
    return statistics().writes().userBytes();
  }

  @Override
  public long getLogBytes() {
    return statistics().writes().logBytes();
  }

  @Override
  public long getFlushBytes() {
    return statistics().writes().flushBytes();
  }

  @Override
  public long getFlushes() {
    return statistics().writes().flushes();
  }

  @Override
  public long getStalls() {
    return statistics().writes().stalls();
  }

  @Override
  public long getStallMillis() {
    return statistics().writes().stallMillis();
  }

  @Override
  public long getRefusedWrites() {
    return statistics().writes().refused();
  }

  @Override
  public double getPutMicrosP50() {
    return statistics().writes().latencies().p50Micros();
  }

  @Override
  public double getPutMicrosP99() {
    return statistics().writes().latencies().p99Micros();
  }

  @Override
  public double getPutMicrosMax() {
    return statistics().writes().latencies().maxMicros();
  }

  @Override
  public double getGetMicrosP50() {
    return statistics().reads().latencies().p50Micros();
  }

  @Override
  public double getGetMicrosP99() {
    return statistics().reads().latencies().p99Micros();
  }

  @Override
  public double getGetMicrosMax() {
    return statistics().reads().latencies().maxMicros();
  }

  @Override
  public long getMergeBytes() {
    return statistics().compactions().writtenBytes();
  }

  @Override
  public long getMovedBytes() {
    return statistics().compactions().movedBytes();
  }

  @Override
  public int getRunningMerges() {
    return statistics().compactions().running();
  }

  @Override
  public long getStepBackMillis() {
    return statistics().compactions().stepBackMillis();
  }

  @Override
  public long getRateLimitMillis() {
    return statistics().compactions().rateLimitMillis();
  }

  @Override
  public long getSearchedSsts() {
    return statistics().reads().candidates();
  }

  @Override
  public long getFileReads() {
    return statistics().reads().fileReads();
  }

  @Override
  public long getFileReadBytes() {
    return statistics().reads().fileBytes();
  }

  @Override
  public long getFilterRejects() {
    return statistics().filters().rejects();
  }

  @Override
  public long getFilterFalsePositives() {
    return statistics().filters().falsePositives();
  }

  @Override
  public long getWriteBufferBytes() {
    return statistics().memory().writeBufferBytes();
  }

  @Override
  public long getBlockCacheBytes() {
    return statistics().memory().blockCacheBytes();
  }

  @Override
  public long getIndexBytes() {
    return statistics().memory().indexBytes();
  }

  @Override
  public long getFilterBytes() {
    return statistics().memory().filterBytes();
  }

  @Override
  public long getRangeTombstoneBytes() {
    return statistics().memory().rangeTombstoneBytes();
  }

  @Override
  public long getReadAheadBytes() {
    return statistics().memory().readAheadBytes();
  }

  @Override
  public long getBudgetBytes() {
    return statistics().memory().budgetBytes();
  }

  @Override
  public long getBudgetUsedBytes() {
    return statistics().memory().budgetUsedBytes();
  }

  @Override
  public long getDiskBytes() {
    return statistics().space().diskBytes();
  }

  @Override
  public long getRetainedLogBytes() {
    return statistics().retainedLog().bytes();
  }

  @Override
  public long getLastSequence() {
    return statistics().retainedLog().lastSequence();
  }

  @Override
  public long getLiveBytes() {
    return statistics().space().liveBytes();
  }

  @Override
  public long getRawBytes() {
    return statistics().space().rawBytes();
  }

  @Override
  public long getEstimatedDataBytes() {
    return statistics().space().estimatedDataBytes();
  }

  @Override
  public double getSpaceAmplification() {
    return statistics().space().amplification();
  }

  @Override
  public double getWriteAmplification() {
    return statistics().writeAmplification();
  }

  @Override
  public int getDatabases() {
    return statistics().contents().databases();
  }

  @Override
  public int getStages() {
    return statistics().contents().stages();
  }

  @Override
  public int getTrees() {
    return statistics().contents().trees();
  }

  @Override
  public int getSsts() {
    return statistics().contents().ssts();
  }

  @Override
  public long getRangeTombstones() {
    return statistics().contents().rangeTombstones();
  }

  @Override
  public int getUnusableSsts() {
    return statistics().contents().unusableSsts();
  }

  @Override
  public int getUncheckedSsts() {
    return statistics().contents().uncheckedSsts();
  }

  @Override
  public int getFullWriteBuffers() {
    return statistics().backlog().fullWriteBuffers();
  }

  @Override
  public double getMergeDebt() {
    return statistics().backlog().mergeDebt();
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public void compact(String database) {
    store.database(database).compact();
  }

  @Override
  public void pauseMerges() {
    store.pauseMerges();
  }

  @Override
  public void resumeMerges() {
    store.resumeMerges();
  }
}
