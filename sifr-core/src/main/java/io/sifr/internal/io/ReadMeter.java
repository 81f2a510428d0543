package io.sifr.internal.io;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Counts the reads by position of a store. Thread-safe. */
public final class ReadMeter {
  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /** Fills a whole buffer from the file. */
  public void read(RandomReadFile source, ByteBuffer target, long position) {
    source.readFully(target.duplicate().clear(), position);
    count(target.capacity());
  }

  /** The same by {@link RandomReadFile#readNext}. */
  public void readNext(RandomReadFile source, ByteBuffer target, long position) {
    source.readNext(target.duplicate().clear(), position);
    count(target.capacity());
  }

  /** A file whose reads are counted here. */
  public RandomReadFile counted(RandomReadFile file) {
    return new Counted(file);
  }

  private final class Counted implements RandomReadFile {
    private final RandomReadFile file;

    Counted(RandomReadFile file) {
      this.file = file;
    }

    @Override
    public void keepsItsName() {
      file.keepsItsName();
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      int length = target.remaining();
      file.readFully(target, position);
      count(length);
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private void count(int length) {
    reads.increment();
    bytes.add(length);
  }

  public long reads() {
    return reads.sum();
  }

  public long bytes() {
    return bytes.sum();
  }
}
