package io.sifr.bench.micro;

import io.sifr.Cursor;
import io.sifr.Database;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** Steps and seeks of cursors, through the public API. */
public class CursorBenchmark extends MicroBenchmark {
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
