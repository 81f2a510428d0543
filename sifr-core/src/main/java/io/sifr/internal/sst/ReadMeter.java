package io.sifr.internal.sst;

import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Counts the reads by position of a store, and estimates how long one takes. Thread-safe. */
public final class ReadMeter {
  /** Weight of the newest read in the moving average: one in this many. */
  private static final int WEIGHT = 16;

  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  // Written without a lock: it does not matter if the average misses a read.
  private volatile long meanNanos;

  /** Fills a whole buffer from the file. */
  void read(RandomReadFile source, ByteBuffer target, long position) {
    long start = System.nanoTime();
    source.readFully(target.duplicate().clear(), position);
    long took = System.nanoTime() - start;
    reads.increment();
    bytes.add(target.capacity());
    if (target.capacity() == SstFormat.PAGE_BYTES) {
      long mean = meanNanos;
      meanNanos = mean == 0 ? took : mean + (took - mean) / WEIGHT;
    }
  }

  /** Reads so far. */
  public long reads() {
    return reads.sum();
  }

  /** Bytes read so far. */
  public long bytes() {
    return bytes.sum();
  }

  /** Recent time of a read of one page, in nanoseconds; 0 before the first. */
  public long meanNanos() {
    return meanNanos;
  }
}
