package io.sifr.internal.background;

import io.sifr.error.SifrException;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.filter.KeyHashes;
import io.sifr.internal.filter.SstFilter;
import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.DistinctKeys;
import io.sifr.internal.sst.ReadAheadPolicy;
import io.sifr.internal.sst.ReadHelper;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.util.NamedThreads;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the filters that are missing when a store is opened, by reading the SSTs: the filter file
 * was damaged or is gone, or the SSTs were written without filters. It runs on a thread of its own,
 * because it takes as long as reading all these SSTs, and neither opening nor flushes and
 * compactions should wait for it. Until an SST has its filter, every key may be in it. An SST whose
 * filter cannot be built is left without one.
 *
 * <p>Thread-safe.
 */
public final class FilterBuilding implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FilterBuilding.class);
  private static final ThreadFactory THREADS = NamedThreads.daemon("sifr-filters");

  /** Keys between two checks for {@link #close}. */
  private static final int KEYS_AT_ONCE = 1 << 12;

  private final SstFilters filters;
  private final CompactionPolicy policy;

  private volatile CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
  private volatile boolean closed;

  public FilterBuilding(SstFilters filters, CompactionPolicy policy) {
    this.filters = filters;
    this.policy = policy;
  }

  /**
   * Starts building filters for the SSTs of a catalog that have none, those of the lowest stages
   * first.
   */
  public void start(Catalog catalog) {
    KeyHashes hashes = filters.newKeyHashes();
    if (hashes == null) {
      return;
    }
    Map<Sst, Integer> missing = new LinkedHashMap<>();
    for (Forest forest : catalog.forests()) {
      for (int stage = 1; stage <= forest.stageCount(); stage++) {
        int moreBits = policy.moreFilterBits(forest, stage);
        for (LogicalTree tree : forest.stage(stage)) {
          tree.ssts().stream()
              .filter(sst -> sst.filter() == null)
              .forEach(sst -> missing.putIfAbsent(sst, moreBits));
        }
      }
    }
    if (!missing.isEmpty()) {
      LOG.info("making the filters of {} SSTs", missing.size());
      done =
          CompletableFuture.runAsync(
              () -> build(missing, hashes), building -> THREADS.newThread(building).start());
    }
  }

  private void build(Map<Sst, Integer> missing, KeyHashes hashes) {
    try {
      for (Map.Entry<Sst, Integer> next : missing.entrySet()) {
        if (closed) {
          return;
        }
        if (next.getKey().tryPin()) {
          build(next.getKey(), next.getValue(), hashes);
        }
      }
    } catch (RuntimeException | Error e) {
      LOG.warn("SSTs stay without filters until the store is opened again", e);
    }
  }

  /** Builds the filter of a pinned SST, and releases the pin. */
  private void build(Sst sst, int moreBits, KeyHashes hashes) {
    hashes.clear();
    try {
      if (!read(sst, hashes)) {
        return;
      }
      SstFilter filter = filters.make(sst.number(), sst.meta().uniqueId(), hashes, moreBits);
      if (filter != null) {
        // Before the pin is released, so that deleting the SST removes the filter, too.
        sst.attach(filter);
      }
    } catch (SifrException | InternalError e) {
      // The JVM reports a page of a mapped file that cannot be read as an InternalError.
      LOG.warn("SST {} stays without a filter: {}", sst.number(), e.getMessage());
    } finally {
      sst.unpin();
    }
  }

  /** Returns whether it reached the end. */
  private boolean read(Sst sst, KeyHashes hashes) {
    try (DistinctKeys keys =
        new DistinctKeys(sst.iterator(ReadAheadPolicy.FULL, ReadHelper.NONE))) {
      for (long count = 1; keys.next(); count++) {
        hashes.add(keys.array(), 0, keys.length());
        if (count % KEYS_AT_ONCE == 0 && closed) {
          return false;
        }
      }
      return true;
    }
  }

  /** Stops the building, and waits for its end. */
  @Override
  public void close() {
    closed = true;
    awaitDone();
  }

  /** Waits until every SST has its filter, or has failed to get one. */
  public void awaitDone() {
    done.join(); // which an interrupt does not end
  }
}
