package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;
import java.nio.ByteBuffer;

/** Blocks that are stored as they are. Thread-safe. */
@Immutable
final class PlainCodec implements FormatCodec {
  @Override
  public int id() {
    return 0;
  }

  @Override
  public Compression setting() {
    return Compression.NONE;
  }

  @Override
  public String title() {
    return "none";
  }

  @Override
  public double price() {
    return 1;
  }

  @Override
  public boolean encode(ByteBuffer raw, ByteBuffer target) {
    return false;
  }

  @Override
  public void decode(ByteBuffer payload, ByteBuffer target) {
    target.put(payload);
  }
}
