package io.sifr.bench.experiment;

import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Ways to read a store. The speed of a device varies from second to second, so they take turns of a
 * few operations each. Not thread-safe.
 */
final class Turns {
  private static final int OPERATIONS_A_TURN = 20;

  private final UncachedStore store;
  private final int operationsATurn;
  private final List<Way> ways = new ArrayList<>();

  Turns(UncachedStore store) {
    this(store, OPERATIONS_A_TURN);
  }

  /** Turns that are longer, because something has to be done before each. */
  Turns(UncachedStore store, int operationsATurn) {
    this.store = store;
    this.operationsATurn = operationsATurn;
  }

  /**
   * Adds a way.
   *
   * @param operation returns the nanoseconds it took
   */
  Way add(String name, LongSupplier operation) {
    return add(name, () -> {}, operation);
  }

  /**
   * Adds a way.
   *
   * @param before done before each turn
   * @param operation returns the nanoseconds it took
   */
  Way add(String name, Runnable before, LongSupplier operation) {
    Way way = new Way(name, before, operation);
    ways.add(way);
    return way;
  }

  /** The turns in which each way does about so many operations. */
  static int turns(int operations) {
    return Math.max(1, operations / OPERATIONS_A_TURN);
  }

  /**
   * Lets all ways take turns, in an order in which each follows every other one.
   *
   * @param uncounted the first turns of each, in which the JVM compiles
   * @param counted its turns after them
   */
  void run(int uncounted, int counted) {
    for (int turn = 0; turn < uncounted + counted; turn++) {
      for (int i = 0; i < ways.size(); i++) {
        int place = turn % 2 == 0 ? i : ways.size() - 1 - i;
        ways.get((place + turn) % ways.size()).takeTurn(store, operationsATurn, turn >= uncounted);
      }
    }
  }

  /** The same for so many operations each, after a quarter as many that do not count. */
  void run(int operations) {
    int counted = Math.max(1, operations / operationsATurn);
    run(Math.max(1, counted / 4), counted);
  }

  /** One way to read, and what it took. */
  static final class Way {
    private final String name;
    private final Runnable before;
    private final LongSupplier operation;
    private final Histogram nanos = new Histogram(3);
    private long reads;
    private long useless;
    private long announced;

    private Way(String name, Runnable before, LongSupplier operation) {
      this.name = name;
      this.before = before;
      this.operation = operation;
    }

    private void takeTurn(UncachedStore store, int operations, boolean counts) {
      before.run();
      StoreStatistics then = store.statistics();
      for (int i = 0; i < operations; i++) {
        long took = operation.getAsLong();
        if (counts) {
          nanos.recordValue(took);
        }
      }
      StoreStatistics after = store.statistics();
      if (counts) {
        reads += after.get(Metric.FILE_READS) - then.get(Metric.FILE_READS);
        useless += after.get(Metric.USELESS_READS) - then.get(Metric.USELESS_READS);
        announced += after.get(Metric.ANNOUNCED_READS) - then.get(Metric.ANNOUNCED_READS);
      }
    }

    String name() {
      return name;
    }

    double meanMicros() {
      return nanos.getMean() / 1000;
    }

    double micros(double percentile) {
      return nanos.getValueAtPercentile(percentile) / 1000.0;
    }

    /** Blocks read for an operation. */
    double reads() {
      return reads / (double) nanos.getTotalCount();
    }

    /** Blocks read for an operation in which there was nothing of use. */
    double useless() {
      return useless / (double) nanos.getTotalCount();
    }

    /** Blocks announced to the system for an operation. */
    double announced() {
      return announced / (double) nanos.getTotalCount();
    }
  }
}
