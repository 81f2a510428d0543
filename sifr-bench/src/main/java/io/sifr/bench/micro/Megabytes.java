package io.sifr.bench.micro;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Adds megabytes (10⁶ bytes) per second to the results of a throughput benchmark. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class Megabytes {
  private long bytes;

  /** Starts from zero. */
  @Setup(Level.Iteration)
  public void reset() {
    bytes = 0;
  }

  void add(long more) {
    bytes += more;
  }

  /** The sum of this iteration; JMH divides it by the time. */
  public double megabytes() {
    return bytes / 1e6;
  }
}
