package io.sifr.kafka.streams;

import java.time.Duration;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.Task;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of a store of windows about their emission when they close, see {@link
 * org.apache.kafka.streams.kstream.EmitStrategy#onWindowClose}. The processor that emits them notes
 * for its store up to which time it has done so, and commits that with its offsets; there is no
 * public way to that note.
 */
final class Emission {
  /** For how long a replica that does not emit keeps windows that the other may have to emit. */
  private static final long REPLICA_KEEPS = Duration.ofHours(1).toMillis();

  private final String storeName;
  private final long closesAfter;
  private final @Nullable InternalProcessorContext<?, ?> context;
  private final @Nullable StateStore root;
  private volatile Thread task = Thread.currentThread();

  /**
   * Of an open store.
   *
   * @param closesAfter milliseconds from the time by which an entry is kept to the end of its
   *     window
   * @param root the store as the processors see it
   */
  Emission(
      String storeName, long closesAfter, StateStoreContext context, @Nullable StateStore root) {
    this.storeName = storeName;
    this.closesAfter = closesAfter;
    this.context = context instanceof InternalProcessorContext<?, ?> internal ? internal : null;
    this.root = root;
  }

  /**
   * The first time of which something is kept. Called by the task, when it writes.
   *
   * @param retained the same, if nothing is emitted
   */
  long oldestKept(long retained, long retention) {
    task = Thread.currentThread();
    if (context == null) {
      return Long.MIN_VALUE;
    }
    if (context.taskType() == Task.TaskType.STANDBY) {
      return retained - Math.max(retention, REPLICA_KEEPS);
    }
    Long closed = context.processorMetadataForKey(storeName);
    return closed == null ? Long.MIN_VALUE : Math.min(retained, closed - closesAfter);
  }

  /** Whether it is the thread of the task that calls, the only one that may emit. */
  boolean isTask() {
    return Thread.currentThread() == task;
  }

  /** Has a cache above the store write what it holds, and forget it. */
  void writeCached() {
    if (root instanceof CachedStateStore<?, ?> cached) {
      cached.flushCache();
      cached.clearCache();
    }
  }
}
