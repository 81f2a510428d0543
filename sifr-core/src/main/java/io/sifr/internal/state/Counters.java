package io.sifr.internal.state;

import io.sifr.event.CompactionReason;
import io.sifr.internal.forest.Catalog.Totals;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts what the store does. Thread-safe, without a word of memory that all readers or writers
 * share.
 */
public final class Counters {
  public final LongAdder userBytes = new LongAdder();
  public final LongAdder walBytes = new LongAdder();
  public final LongAdder flushBytes = new LongAdder();
  public final LongAdder compactionBytes = new LongAdder();
  public final LongAdder movedBytes = new LongAdder();
  public final LongAdder stallNanos = new LongAdder();

  // All below since the store was opened.

  public final LongAdder flushes = new LongAdder();
  public final LongAdder stalls = new LongAdder();

  /** Writes that would have been delayed for too long. */
  public final LongAdder refused = new LongAdder();

  /** How often another log has taken the place of one that had failed. */
  public final LongAdder logReplacements = new LongAdder();

  /** Entries that compaction filters have dropped. */
  public final LongAdder filterDrops = new LongAdder();

  /** Values that they have replaced. */
  public final LongAdder filterReplacements = new LongAdder();

  /** Calls of them that have failed. */
  public final LongAdder filterFailures = new LongAdder();

  /** Entries of databases that builds of indexes have passed. */
  public final LongAdder indexBuilt = new LongAdder();

  /** Entries of indexes that reads have met, and that do not count any more. */
  public final LongAdder indexStaleReads = new LongAdder();

  /** Such entries that were deleted. */
  public final LongAdder indexStaleDeletes = new LongAdder();

  /** Nanoseconds for which compactions have paused because of reads. */
  public final LongAdder stepBackNanos = new LongAdder();

  /** Nanoseconds for which compactions have paused because of their limit. */
  public final LongAdder limitNanos = new LongAdder();

  private final Map<CompactionReason, LongAdder> compactions =
      new EnumMap<>(CompactionReason.class);
  public final LatencyHistogram puts = new LatencyHistogram();
  public final LatencyHistogram gets = new LatencyHistogram();
  public final Reading reads = new Reading();

  public Counters(Totals before) {
    for (CompactionReason reason : CompactionReason.values()) {
      compactions.put(reason, new LongAdder());
    }
    userBytes.add(before.userBytes());
    walBytes.add(before.walBytes());
    flushBytes.add(before.flushBytes());
    compactionBytes.add(before.compactionBytes());
    movedBytes.add(before.movedBytes());
    stallNanos.add(TimeUnit.MILLISECONDS.toNanos(before.stallMillis()));
  }

  /** Counts a compaction that has ended. */
  public void ended(CompactionReason reason) {
    Objects.requireNonNull(compactions.get(reason)).increment();
  }

  /** How many compactions have ended for each reason since the store was opened. */
  public Map<CompactionReason, Long> compactions() {
    Map<CompactionReason, Long> counts = new EnumMap<>(CompactionReason.class);
    compactions.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
  }

  public Totals totals() {
    return new Totals(
        userBytes.sum(),
        walBytes.sum(),
        flushBytes.sum(),
        compactionBytes.sum(),
        movedBytes.sum(),
        TimeUnit.NANOSECONDS.toMillis(stallNanos.sum()));
  }

  /**
   * The durations of reads, apart for those beside which nothing was flushed or compacted, that is
   * without background load.
   *
   * <p>Some reads are measured, as {@link LatencyHistogram#begin} draws them. What they add goes to
   * one of several cells ({@link LongAdder}), so readers share no word that they write.
   *
   * <p>Thread-safe.
   */
  public static final class Reading {
    /** Number of reads, and nanoseconds they took together. */
    private static final class Sums {
      private final LongAdder count = new LongAdder();
      private final LongAdder nanos = new LongAdder();

      private void add(long took) {
        count.increment();
        nanos.add(took);
      }

      private Total total() {
        return new Total(count.sum(), nanos.sum());
      }
    }

    /**
     * Reads that were measured since the store was opened.
     *
     * @param count how many
     * @param nanos how long they took together, in nanoseconds
     */
    public record Total(long count, long nanos) {
      /** None. */
      public static final Total NONE = new Total(0, 0);

      /** Those that are not among earlier ones. */
      public Total since(Total earlier) {
        return new Total(count - earlier.count, nanos - earlier.nanos);
      }

      /** How long one took on average, in nanoseconds; 0 if there is none. */
      public double mean() {
        return count == 0 ? 0 : (double) nanos / count;
      }
    }

    /** Reads of a kind: only their times can be compared with each other. */
    public final class Reads {
      private final Sums all = new Sums();
      private final Sums quiet = new Sums();

      private Reads() {}

      /**
       * Counts a read that has ended, if it was drawn.
       *
       * @param start see {@link LatencyHistogram#begin}
       */
      public void ended(long start) {
        if (start != 0) {
          long nanos = nanoTime.getAsLong() - start;
          all.add(nanos);
          if (isQuietSince(start)) {
            quiet.add(nanos);
          }
        }
      }

      /** All that were measured. */
      public Total all() {
        return all.total();
      }

      /** Those beside which nothing was flushed or compacted, from their beginning to their end. */
      public Total quiet() {
        return quiet.total();
      }
    }

    private final LongSupplier nanoTime;
    private final Reads gets = new Reads();
    private final Reads seeks = new Reads();

    /** Threads that flush or compact. Guarded by this. */
    private int working;

    // Both written under this; the time first.
    private volatile long quietSince;
    private volatile boolean isDisturbed;

    /** Of no reads, measured by {@link System#nanoTime}. */
    public Reading() {
      this(System::nanoTime);
    }

    /** For tests, with a clock of their own. */
    public Reading(LongSupplier nanoTime) {
      this.nanoTime = nanoTime;
      this.quietSince = nanoTime.getAsLong();
    }

    /** Gets of single keys. */
    public Reads gets() {
      return gets;
    }

    /** Moves of cursors to a key, or to an end. */
    public Reads seeks() {
      return seeks;
    }

    /** A thread begins to flush or to compact, or goes on. */
    public synchronized void workBegins() {
      working++;
      isDisturbed = true;
    }

    /** It has ended, or pauses. */
    public synchronized void workEnds() {
      working--;
      if (working == 0) {
        quietSince = nanoTime.getAsLong();
        isDisturbed = false;
      }
    }

    private boolean isQuietSince(long start) {
      return !isDisturbed && start - quietSince >= 0;
    }
  }
}
