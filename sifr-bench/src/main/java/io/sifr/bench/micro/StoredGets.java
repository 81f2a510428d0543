package io.sifr.bench.micro;

import io.netty.buffer.ByteBuf;
import io.sifr.BufferView;
import io.sifr.Database;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Setup;

/** Gets of a {@link LoadedStore}, through the public API. */
public abstract class StoredGets extends MicroBenchmark {
  Database database;
  BufferView<ByteBuf> buffers;
  BufferView<ByteBuffer> javaBuffers;
  Cycle<byte[]> present;
  Cycle<byte[]> absent;

  /** Prepares the keys. */
  @Setup
  public void prepare(LoadedStore loaded) {
    database = loaded.database();
    buffers = database.byteBufs();
    javaBuffers = database.byteBuffers();
    present = loaded.presentKeys();
    absent = loaded.absentKeys();
  }
}
