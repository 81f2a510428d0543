package io.sifr.bench.micro;

import io.sifr.internal.memtable.Memtable;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Adding an entry to a memtable of 4 MiB, by how full it is. The garbage collector's profiler is
 * useless here, because it also counts refilling the memtable before each measurement.
 */
public class MemtablePutBenchmark extends MicroBenchmark {
  private static final int MEASURED = 1_000;
  private static final int FULL = 21_000;

  /** Entries already in the memtable; it is full at about 21,900. */
  @Param({"0", "20000"})
  public int before;

  private List<PutRecord> puts;
  private Memtable memtable;

  /** Prepares the entries. */
  @Setup
  public void prepare() {
    puts = PutRecord.shuffled(new Entries(FULL, 0));
  }

  /** Fills the memtable up to where the measurement begins. */
  @Setup(Level.Invocation)
  public void fill() {
    memtable = new Memtable(4 << 20);
    add(0, before);
  }

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      puts.get(i).addTo(memtable);
    }
  }

  /** Adding an entry, averaged over the next thousand. */
  @Benchmark
  @OperationsPerInvocation(MEASURED)
  public Memtable put() {
    add(before, before + MEASURED);
    return memtable;
  }
}
