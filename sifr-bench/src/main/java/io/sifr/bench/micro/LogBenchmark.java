package io.sifr.bench.micro;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.util.Bytes.VarInts;
import io.sifr.internal.wal.WalParts;
import io.sifr.internal.wal.WalWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Appending records of one put to the log. Segments are released as soon as they are full, and thus
 * recycled, as in a store whose flushes keep up.
 */
public class LogBenchmark extends MicroBenchmark {
  private static final int RECORDS = 1 << 10;

  /** The way in which records are written. */
  @Param public LogAccess access = LogAccess.MAPPED;

  private ScratchDirectory directory;
  private ExecutorService executor;
  private WalWriter log;
  private Cycle<byte[]> records;
  private long sequence;
  private long segment;

  /** Opens the log and encodes the records. */
  @Setup
  public void open() throws IOException {
    directory = new ScratchDirectory();
    executor =
        Executors.newSingleThreadExecutor(new ThreadFactoryBuilder().setDaemon(true).build());
    log =
        new WalWriter(
            new WalParts(
                new DiskFileSystem(),
                directory.path(),
                new AtomicLong()::incrementAndGet,
                StoreOptions.DEFAULT.logSegmentBytes(),
                access,
                executor),
            sequence);
    segment = log.activeSegment();
    Entries entries = new Entries(RECORDS, 0);
    records =
        new Cycle<>(
            IntStream.of(entries.shuffled())
                .mapToObj(index -> put(entries.key(index), entries.value(index))));
  }

  /** A put as the engine encodes it for the log. */
  private static byte[] put(byte[] key, byte[] value) {
    byte[] record = new byte[key.length + value.length + 3 * VarInts.MAX_INT_BYTES];
    int at = VarInts.put(record, 0, 1);
    at = VarInts.put(record, at, key.length);
    System.arraycopy(key, 0, record, at, key.length);
    at =
        VarInts.put(
            record, at + key.length, (long) value.length << EntryKind.BITS | EntryKind.PUT.code());
    System.arraycopy(value, 0, record, at, value.length);
    return Arrays.copyOf(record, at + value.length);
  }

  /** Closes the log and deletes it. */
  @TearDown
  public void close() throws IOException {
    log.close();
    executor.shutdownNow();
    directory.close();
  }

  /** Time of an append. */
  @Benchmark
  public long append() {
    return append(records.next());
  }

  /** The same in bytes of records per second. */
  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OutputTimeUnit(TimeUnit.SECONDS)
  public long appendedBytes(Megabytes appended) {
    byte[] record = records.next();
    appended.add(record.length);
    return append(record);
  }

  private long append(byte[] record) {
    long appendedTo = log.append(++sequence, 1, record, 0, record.length);
    if (appendedTo != segment) {
      segment = appendedTo;
      log.release(segment);
    }
    return appendedTo;
  }
}
