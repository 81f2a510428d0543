package io.sifr.bench.micro;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;

/** The limits of the machine, for comparison with the other figures. */
public class LimitsBenchmark extends MicroBenchmark {
  private static final int PAGE_BYTES = 4096;
  private static final int MERGE_BYTES = 32_000_000;

  private final byte[] page = new byte[PAGE_BYTES];
  private final byte[] otherPage = new byte[PAGE_BYTES];
  private final byte[] input = new byte[MERGE_BYTES];
  private final byte[] output = new byte[MERGE_BYTES];
  private final CRC32C crc = new CRC32C();

  /** Fills the source arrays. */
  @Setup
  public void fill() {
    SplittableRandom random = new SplittableRandom(0);
    random.nextBytes(page);
    random.nextBytes(input);
  }

  /** Copying a page within the caches. */
  @Benchmark
  public byte[] copyPage() {
    System.arraycopy(page, 0, otherPage, 0, PAGE_BYTES);
    return otherPage;
  }

  /** The checksum of a page. */
  @Benchmark
  public long checksumPage() {
    crc.reset();
    crc.update(page, 0, PAGE_BYTES);
    return crc.getValue();
  }

  /** Copying as much as {@link MergeBenchmark} merges. */
  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OutputTimeUnit(TimeUnit.SECONDS)
  public byte[] copyMerge(Megabytes copied) {
    System.arraycopy(input, 0, output, 0, MERGE_BYTES);
    copied.add(MERGE_BYTES);
    return output;
  }
}
