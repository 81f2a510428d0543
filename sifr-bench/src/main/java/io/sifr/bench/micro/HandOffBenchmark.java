package io.sifr.bench.micro;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of handing a piece of work to a search thread: the smallest gain for which a hand-over
 * is worthwhile.
 */
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HandOffBenchmark extends MicroBenchmark {
  private static final long PAUSE_NANOS = 200_000;

  /** True if the threads have gone to sleep since the last hand-off, as between rare queries. */
  @Param({"false", "true"})
  public boolean asleep;

  private ForkJoinPool pool;
  private volatile int done;

  /** Starts the threads, as a store does. */
  @Setup
  public void start() {
    pool = new ForkJoinPool(16, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
  }

  /** Ends them. */
  @TearDown
  public void stop() {
    pool.shutdown();
  }

  /** Hands over and waits until it is done; when asleep, the figure includes a pause. */
  @Benchmark
  public int handOverAndWait() {
    pause();
    Thread caller = Thread.currentThread();
    int before = done;
    pool.execute(
        () -> {
          done = before + 1;
          LockSupport.unpark(caller);
        });
    while (done == before) {
      LockSupport.park(this);
    }
    return done;
  }

  /** The pause alone, to be subtracted. */
  @Benchmark
  public void pause() {
    if (asleep) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
