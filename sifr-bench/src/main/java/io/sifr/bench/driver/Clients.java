package io.sifr.bench.driver;

import io.sifr.bench.measure.Latencies;
import io.sifr.bench.measure.Stalls;
import io.sifr.bench.workload.Client;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one workload, a thread each. The first failure of any of them ends all. Used once.
 * Any thread may read the counts; everything else may be read after {@link #run} has returned.
 */
final class Clients {
  /** Each client reports its progress after this many operations. */
  private static final int COUNTED_TOGETHER = 16;

  /** Shorter waits spin. */
  private static final long PARKED_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Workload workload;
  private final long operations;
  private final OptionalDouble rate;
  private final long limitNanos;
  private final Stalls stalls = new Stalls();
  private final List<Worker> workers = new ArrayList<>();
  private final @Nullable Client beside;
  private final CountDownLatch start = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final LongAdder done = new LongAdder();
  private volatile boolean measuredDone;
  private volatile long startNanos;
  private long elapsedNanos;
  private long doneBeside;

  /**
   * Prepares clients.
   *
   * @param clients creates the n-th client
   * @param operations of all measured clients together
   * @param rate operations per second of all of them together; as fast as possible if empty
   * @param timeLimitSeconds after which they end even if not all operations are done; none if empty
   */
  Clients(
      Workload workload,
      int threads,
      long operations,
      OptionalDouble rate,
      OptionalInt timeLimitSeconds,
      IntFunction<Client> clients) {
    this.workload = workload;
    this.operations = operations;
    this.rate = rate;
    this.limitNanos =
        timeLimitSeconds.isPresent()
            ? TimeUnit.SECONDS.toNanos(timeLimitSeconds.getAsInt())
            : Long.MAX_VALUE;
    int count = (int) Math.min(threads, operations);
    for (int i = 0; i < count; i++) {
      long share = operations / count + (i < operations % count ? 1 : 0);
      workers.add(new Worker(i, count, clients.apply(i), share));
    }
    this.beside = workload.writesBeside() ? clients.apply(count) : null;
  }

  /**
   * Performs all operations.
   *
   * @throws RuntimeException the first failure of a client
   */
  void run() {
    List<Thread> threads = new ArrayList<>();
    for (Worker worker : workers) {
      threads.add(started("bench-client-" + worker.number, worker));
    }
    Thread writer = beside == null ? null : started("bench-client-beside", () -> runBeside(beside));
    startNanos = System.nanoTime();
    start.countDown();
    try {
      for (Thread thread : threads) {
        thread.join();
      }
      elapsedNanos = System.nanoTime() - startNanos;
      measuredDone = true;
      if (writer != null) {
        writer.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.compareAndSet(null, new IllegalStateException("interrupted", e));
    }
    Throwable failed = failure.get();
    if (failed instanceof RuntimeException e) {
      throw e;
    } else if (failed instanceof Error e) {
      throw e;
    }
  }

  /** Ends all of them, and the run with a {@link CancellationException}. For any thread. */
  void stop() {
    failure.compareAndSet(null, new CancellationException("the run was stopped"));
  }

  private Thread started(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                start.await();
                work.run();
              } catch (InterruptedException | RuntimeException | Error e) {
                failure.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void runBeside(Client client) {
    Runnable operation = Workload.operationBeside(client);
    while (!measuredDone && failure.get() == null) {
      operation.run();
      doneBeside++;
    }
  }

  /** Operations of the measured clients so far. */
  long done() {
    return done.sum();
  }

  /** Operations that all measured clients will perform. */
  long operations() {
    return operations;
  }

  /** Scheduled operations per second, if there is a rate. */
  OptionalDouble rate() {
    return rate;
  }

  /** Operations of the additional client, which is not measured. */
  long doneBeside() {
    return doneBeside;
  }

  double seconds() {
    return elapsedNanos / 1e9;
  }

  long longestStallNanos() {
    return stalls.longestNanos();
  }

  long userBytes() {
    long bytes = beside == null ? 0 : beside.userBytes();
    return bytes + workers.stream().mapToLong(worker -> worker.client.userBytes()).sum();
  }

  /** Times from the beginning of operations to their end. */
  Latencies latencies() {
    Histogram sum = Latencies.histogram();
    workers.forEach(worker -> sum.add(worker.service));
    return Latencies.of(sum);
  }

  /** Times from the scheduled beginning of operations, if there was a rate. */
  @Nullable Latencies correctedLatencies() {
    if (rate.isEmpty()) {
      return null;
    }
    Histogram sum = Latencies.histogram();
    workers.forEach(worker -> sum.add(worker.response));
    return Latencies.of(sum);
  }

  /** One measured client. */
  private final class Worker implements Runnable {
    private final int number;
    private final int count;
    private final Client client;
    private final long share;
    private final Stalls.Notes notes = stalls.addClient();
    private final Histogram service = Latencies.histogram();
    private final Histogram response = Latencies.histogram();

    Worker(int number, int count, Client client, long share) {
      this.number = number;
      this.count = count;
      this.client = client;
      this.share = share;
    }

    @Override
    public void run() {
      Runnable operation = workload.operation(client);
      double intervalNanos = rate.isPresent() ? count / rate.getAsDouble() * 1e9 : 0;
      long counted = 0;
      long i = 0;
      while (i < share && failure.get() == null) {
        long from = System.nanoTime();
        if (from - startNanos >= limitNanos) {
          break;
        }
        if (rate.isPresent()) {
          runWhenDue(operation, (i + (double) number / count) * intervalNanos);
        } else {
          operation.run();
          ended(from, System.nanoTime());
        }
        i++;
        if (i - counted == COUNTED_TOGETHER) {
          done.add(COUNTED_TOGETHER);
          counted = i;
        }
      }
      done.add(i - counted);
    }

    /** Operations are due at fixed times; a late client begins the next one at once. */
    private void runWhenDue(Runnable operation, double nanosAfterStart) {
      long due = startNanos + (long) nanosAfterStart;
      awaitTime(due);
      long from = System.nanoTime();
      operation.run();
      long to = System.nanoTime();
      response.recordValue(to - due);
      ended(from, to);
    }

    /** Spins at the end, because a parked thread wakes up late. */
    private static void awaitTime(long due) {
      for (long wait; (wait = due - System.nanoTime()) > 0; ) {
        if (wait > PARKED_NANOS) {
          LockSupport.parkNanos(wait - PARKED_NANOS);
        } else {
          Thread.onSpinWait();
        }
      }
    }

    private void ended(long from, long to) {
      service.recordValue(to - from);
      notes.ran(from, to);
    }
  }
}
