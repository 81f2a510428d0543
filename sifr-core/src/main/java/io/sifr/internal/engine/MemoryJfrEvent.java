package io.sifr.internal.engine;

import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** Shows in a flight recording, every ten seconds, what memory a store uses. */
@Name("io.sifr.Memory")
@Label("Memory")
@Category("Sifr")
@Period("10 s")
@StackTrace(false)
final class MemoryJfrEvent extends Event {
  @Label("Store")
  String store = "";

  @Label("Write buffers")
  @DataAmount
  long writeBufferBytes;

  @Label("Block cache")
  @DataAmount
  long blockCacheBytes;

  @Label("Indexes in the cache")
  @DataAmount
  long indexBytes;

  @Label("Filters in the cache")
  @DataAmount
  long filterBytes;

  @Label("Read ahead")
  @DataAmount
  long readAheadBytes;

  @Label("Budget of all stores")
  @DataAmount
  long budgetBytes;

  @Label("Used by all stores")
  @DataAmount
  long budgetUsedBytes;

  @Label("Idle")
  @DataAmount
  long idleBytes;

  /** Records it of a store. */
  static void commit(StoreStatistics memory, String store) {
    MemoryJfrEvent event = new MemoryJfrEvent();
    event.store = store;
    event.writeBufferBytes = memory.get(Metric.WRITE_BUFFER_BYTES);
    event.blockCacheBytes = memory.get(Metric.BLOCK_CACHE_BYTES);
    event.indexBytes = memory.get(Metric.INDEX_BYTES);
    event.filterBytes = memory.get(Metric.FILTER_BYTES);
    event.readAheadBytes = memory.get(Metric.READ_AHEAD_BYTES);
    event.budgetBytes = memory.get(Metric.BUDGET_BYTES);
    event.budgetUsedBytes = memory.get(Metric.BUDGET_USED_BYTES);
    event.idleBytes = memory.get(Metric.IDLE_BYTES);
    event.commit();
  }
}
