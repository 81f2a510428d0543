package io.sifr.internal.sst.block;

import io.sifr.internal.io.RandomReadFile;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Counts the reads by position of a store. Thread-safe. */
public final class ReadMeter {
  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /** Fills a whole buffer from the file. */
  void read(RandomReadFile source, ByteBuffer target, long position) {
    source.readFully(target.duplicate().clear(), position);
    count(target);
  }

  /** The same by {@link RandomReadFile#readNext}. */
  void readNext(RandomReadFile source, ByteBuffer target, long position) {
    source.readNext(target.duplicate().clear(), position);
    count(target);
  }

  private void count(ByteBuffer read) {
    reads.increment();
    bytes.add(read.capacity());
  }

  public long reads() {
    return reads.sum();
  }

  public long bytes() {
    return bytes.sum();
  }
}
