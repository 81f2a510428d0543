package io.sifr.bench.micro;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.forest.LogicalTree;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** Iterating over an SST of 2 MiB whose blocks were checked. */
public class SstIterationBenchmark extends MicroBenchmark {
  private static final int ENTRIES = 15_000;

  private TreeFiles files;
  private LogicalTree tree;
  private final byte[] value = new byte[256];

  /** Writes the SST. */
  @Setup
  public void write() throws IOException {
    files = new TreeFiles();
    tree = files.open(files.write(new Entries(ENTRIES, 0), index -> true));
  }

  /** Deletes the SST. */
  @TearDown
  public void delete() throws IOException {
    TreeFiles.close(tree.ssts());
    files.close();
  }

  /** An entry, without its value. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void keys(Blackhole blackhole) {
    try (EntryIterator iterator = tree.ssts().get(0).reader().iterator()) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        blackhole.consume(iterator.keyLength());
        blackhole.consume(iterator.trailer());
      }
    }
  }

  /** An entry, with its value copied. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public void keysAndValues(Blackhole blackhole) {
    try (EntryIterator iterator = tree.ssts().get(0).reader().iterator()) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        iterator.copyValue(value, 0);
        blackhole.consume(iterator.keyLength());
        blackhole.consume(iterator.trailer());
      }
    }
  }
}
