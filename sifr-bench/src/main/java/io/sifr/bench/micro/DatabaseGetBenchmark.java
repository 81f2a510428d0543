package io.sifr.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;

/** Point queries through the public API. */
public class DatabaseGetBenchmark extends StoredGets {
  private final ByteBuf key = Unpooled.buffer(64);
  private final ByteBuf value = Unpooled.buffer(256);

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
