package io.sifr.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.Database;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Point queries through the public API. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g"})
@State(Scope.Thread)
public class DatabaseGetBenchmark {
  private final ByteBuf key = Unpooled.buffer(64);
  private final ByteBuf value = Unpooled.buffer(256);

  private Database database;
  private Cycle<byte[]> present;
  private Cycle<byte[]> absent;

  /** Prepares the keys. */
  @Setup
  public void prepare(LoadedStore loaded) {
    database = loaded.database();
    present = loaded.presentKeys();
    absent = loaded.absentKeys();
  }

  /** A present key. */
  @Benchmark
  public byte @Nullable [] hit() {
    return database.get(present.next());
  }

  /** A present key, with its value copied to a buffer. */
  @Benchmark
  public boolean hitIntoBuffer() {
    key.clear().writeBytes(present.next());
    return database.get(key, value.clear());
  }

  /** An absent key, so that all trees are searched. */
  @Benchmark
  public byte @Nullable [] miss() {
    return database.get(absent.next());
  }
}
