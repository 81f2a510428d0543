package io.sifr.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;

/** Point queries through the public API. */
public class DatabaseGetBenchmark extends StoredGets {
  private final ByteBuf key = Unpooled.buffer(64);
  private final ByteBuf value = Unpooled.buffer(256);
  private final ByteBuffer javaKey = ByteBuffer.allocate(64);
  private final ByteBuffer javaValue = ByteBuffer.allocateDirect(256);

  /** A present key. */
  @Benchmark
  public byte @Nullable [] hit() {
    return database.get(present.next());
  }

  /** A present key, with its value copied to a buffer. */
  @Benchmark
  public int hitIntoBuffer() {
    key.clear().writeBytes(present.next());
    return buffers.get(key, value.clear());
  }

  /** As above, to a buffer of Java outside of the heap. */
  @Benchmark
  public int hitIntoJavaBuffer() {
    javaKey.clear().put(present.next()).flip();
    return javaBuffers.get(javaKey, javaValue.clear());
  }

  /** An absent key, so that all trees are searched. */
  @Benchmark
  public byte @Nullable [] miss() {
    return database.get(absent.next());
  }
}
