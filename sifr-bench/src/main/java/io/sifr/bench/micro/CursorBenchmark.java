package io.sifr.bench.micro;

import io.sifr.Cursor;
import io.sifr.Database;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Steps and seeks of cursors, through the public API. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class CursorBenchmark {
  private static final int STEPS = 1_000;

  private Database database;
  private Cursor cursor;
  private Cycle<byte[]> keys;

  /** Opens a cursor. */
  @Setup
  public void open(LoadedStore loaded) {
    database = loaded.database();
    cursor = database.cursor();
    keys = loaded.presentKeys();
  }

  /** Closes it. */
  @TearDown
  public void close() {
    cursor.close();
  }

  /** A step; after the last entry it starts again at the first. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public long next() {
    long bytes = 0;
    for (int i = 0; i < STEPS; i++) {
      step();
      bytes += cursor.valueLength();
    }
    return bytes;
  }

  /** A step, with copies of the key and the value. */
  @Benchmark
  @OperationsPerInvocation(STEPS)
  public void nextKeyAndValue(Blackhole blackhole) {
    for (int i = 0; i < STEPS; i++) {
      step();
      blackhole.consume(cursor.key());
      blackhole.consume(cursor.value());
    }
  }

  private void step() {
    if (!cursor.next()) {
      cursor.first();
    }
  }

  /** A seek with an open cursor. */
  @Benchmark
  public int seek() {
    cursor.seek(keys.next());
    return cursor.valueLength();
  }

  /** A seek with a new cursor. */
  @Benchmark
  public int openAndSeek() {
    try (Cursor fresh = database.cursor()) {
      fresh.seek(keys.next());
      return fresh.valueLength();
    }
  }
}
