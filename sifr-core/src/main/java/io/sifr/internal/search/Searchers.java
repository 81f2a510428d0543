package io.sifr.internal.search;

import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.view.ReadEpochs;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands queries of a store to the search threads, which it may share with others. Thread-safe.
 *
 * <p>A search that is handed over has its own ticket of the query's read epoch: the caller may have
 * its answer and leave while the searcher is still reading an SST. The caller takes the ticket
 * while it is inside the epoch; the searcher returns it.
 */
public final class Searchers {
  private static final Logger LOG = LoggerFactory.getLogger(Searchers.class);

  /** The longest time a thread spins, however slow the disk. */
  private static final long MAX_SPIN_NANOS = 300_000;

  private final SearchThreads threads;
  private final ReadEpochs epochs;
  private final BooleanSupplier canAnnounce;
  private final Counters counters = new Counters();
  private final ReadTimes readTimes = new ReadTimes();

  /**
   * @param threads the threads
   * @param epochs the read epochs of the queries
   */
  public Searchers(SearchThreads threads, ReadEpochs epochs) {
    this(threads, epochs, () -> false);
  }

  /**
   * @param canAnnounce whether reads of blocks can be announced to the system at the moment
   */
  public Searchers(SearchThreads threads, ReadEpochs epochs, BooleanSupplier canAnnounce) {
    this.threads = threads;
    this.epochs = epochs;
    this.canAnnounce = canAnnounce;
  }

  /** The counters of all queries. */
  public Counters counters() {
    return counters;
  }

  ReadTimes readTimes() {
    return readTimes;
  }

  /** The largest number of threads. */
  int count() {
    return threads.count();
  }

  /** Number of idle threads; negative when work is queued. */
  int idle() {
    return threads.idle();
  }

  /**
   * Whether a thread is idle.
   *
   * @param weighsCost whether reads must also be slow
   */
  boolean canHelp(boolean weighsCost) {
    return weighsCost ? isWorthHandingOver() : idle() > 0;
  }

  /** Whether reads are worth handing over now. */
  boolean isWorthHandingOver() {
    return AdaptivePolicy.isWorthHandingOver(
        readTimes.nanos(), idle(), threads.callers(), threads.processors());
  }

  /**
   * Whether several reads are announced to the system now, and not handed over: where that can be
   * done, it needs neither threads nor processors.
   */
  boolean announces() {
    return canAnnounce.getAsBoolean() && AdaptivePolicy.isWorthAnnouncing(readTimes.nanos());
  }

  /** The share of the likelihood that a query keeps in flight now. */
  double shareAhead() {
    return announces()
        ? AdaptivePolicy.shareAnnounced(threads.callers(), threads.processors())
        : AdaptivePolicy.share(idle(), count());
  }

  /** A caller begins to read blocks, which others could do for it. */
  void callerBegins() {
    threads.callerBegins();
  }

  /** A caller has read its blocks. */
  void callerEnds() {
    threads.callerEnds();
  }

  /**
   * Hands a search to another thread.
   *
   * @param ticket the caller's own ticket of the epoch that it is inside
   * @return false when no thread will do it
   */
  boolean handOver(Search search, int ticket) {
    HandedOver handedOver = new HandedOver(search, epochs.enterBeside(ticket));
    try {
      threads.execute(handedOver);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Out of memory for a thread or for the queue. The search may have been queued nevertheless.
      if (handedOver.begin()) {
        epochs.exit(handedOver.ticket);
        threads.ended();
        LOG.warn("a search cannot be handed over: {}", e.toString());
        return false;
      }
    }
    counters.add(Metric.HAND_OFFS, 1);
    return true;
  }

  /**
   * How long spinning pays off: as long as two reads take, since of parallel reads the slowest
   * counts. Over six trees, in turns, a get with {@code FIXED_COUNT} took 299 µs, 317 µs with the
   * time of one read, 376 µs without spinning, and 543 µs serially.
   */
  private long nanosToSpin() {
    return Math.min(2 * readTimes.nanos(), MAX_SPIN_NANOS);
  }

  /**
   * Spins until others have done something: a parked thread would have to be woken.
   *
   * @return whether it is done
   */
  boolean spin(BooleanSupplier isDone) {
    return SearchThreads.spin(nanosToSpin(), isDone);
  }

  /**
   * Waits until others have done something: spins, then parks. The thread that has done it unparks
   * the caller. An interrupt does not end the wait, and is kept.
   */
  void await(BooleanSupplier isDone) {
    boolean interrupted = false;
    while (!spin(isDone)) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A search that can be handed over. It must not throw. */
  public interface Search {
    /**
     * Called inside the epoch.
     *
     * @param ticket its ticket of the epoch
     */
    void run(int ticket);

    /** Called by the same thread after it has left the epoch. */
    default void left() {}
  }

  /** A search that is queued for a thread. */
  private final class HandedOver extends SearchThreads.Work {
    private final Search search;
    private final int ticket;
    private boolean begun; // guarded by this

    HandedOver(Search search, int ticket) {
      super(threads);
      this.search = search;
      this.ticket = ticket;
    }

    /** True for one thread. No atomic object: nothing may fail after the ticket is taken. */
    synchronized boolean begin() {
      boolean first = !begun;
      begun = true;
      return first;
    }

    @Override
    protected long nanosToSpin() {
      return Searchers.this.nanosToSpin();
    }

    @Override
    protected void search() {
      if (begin()) {
        try {
          search.run(ticket);
        } finally {
          epochs.exit(ticket);
          try {
            search.left();
          } finally {
            threads.ended();
          }
        }
      }
    }
  }

  /**
   * The recent duration of searching a block that is not in memory: a moving average over a sample
   * of the reads. Thread-safe; when two threads write at once, one of their measurements is lost,
   * which is harmless.
   */
  static final class ReadTimes {
    /** Initial value: a read from a disk, so that the first queries hand reads over and measure. */
    static final long FIRST_GUESS_NANOS = 100_000;

    private static final int SAMPLED_ONE_IN = 8;

    private static final int WEIGHT_OF_OLD = 7;

    /**
     * Limit of a measurement, which has a weight of one in eight: a pause of the machine counts no
     * more.
     */
    private static final long LONGEST_NANOS = 10_000_000;

    private volatile long average = FIRST_GUESS_NANOS;

    /** Start time in nanoseconds if this read is to be measured, else 0. */
    static long begin() {
      return ThreadLocalRandom.current().nextInt(SAMPLED_ONE_IN) == 0 ? System.nanoTime() : 0;
    }

    /** Ends a read that began at {@code start}, see {@link #begin}. */
    void end(long start) {
      if (start != 0) {
        took(System.nanoTime() - start);
      }
    }

    void took(long nanos) {
      long bounded = Math.min(Math.max(0, nanos), LONGEST_NANOS);
      average = (WEIGHT_OF_OLD * average + bounded) / (WEIGHT_OF_OLD + 1);
    }

    /** The average duration of a read. */
    long nanos() {
      return average;
    }
  }

  /**
   * Counters of point queries: one for each metric that counts, those of searches among them, so a
   * new one needs no more than its row. Thread-safe; no counter is a single word that all threads
   * write.
   */
  public static final class Counters {
    private final LongAdder[] adders = new LongAdder[Metric.all().size()];

    Counters() {
      Metric.counters().forEach(counter -> adders[counter.index()] = new LongAdder());
    }

    void add(Metric.OfLong counter, long count) {
      if (count > 0) {
        adders[counter.index()].add(count);
      }
    }

    /** What was counted for a metric, 0 if searches do not count it. */
    public long get(Metric.OfLong counter) {
      return adders[counter.index()].sum();
    }
  }

  /**
   * The access of searches to the blocks of SSTs. The implementation in use is {@link #STORE};
   * tests have others that count, wait, fail, and deny that a block is in memory. Safe for any
   * thread.
   */
  public interface BlockAccess {
    /** Accesses the SST itself. */
    BlockAccess STORE =
        new BlockAccess() {
          @Override
          public boolean isInMemory(SstReader reader, long block) {
            return reader.isInMemory(block);
          }

          @Override
          public boolean search(SstReader reader, long block, Lookup probe, Lookup into) {
            return reader.getFrom(
                block, probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence(), into);
          }
        };

    /** The block of an SST that may hold the probe's key, see {@link SstReader#find}. */
    static long block(SstReader reader, Lookup probe) {
      return reader.find(probe.key(), probe.keyOffset(), probe.keyLength(), probe.sequence());
    }

    /** See {@link SstReader#isInMemory}. */
    boolean isInMemory(SstReader reader, long block);

    /** See {@link SstReader#announce}. */
    default boolean announce(SstReader reader, long block) {
      return reader.announce(block);
    }

    /**
     * See {@link SstReader#getFrom}.
     *
     * @param probe the key and sequence number
     * @param into receives the answer; may be the probe itself
     */
    boolean search(SstReader reader, long block, Lookup probe, Lookup into);
  }
}
