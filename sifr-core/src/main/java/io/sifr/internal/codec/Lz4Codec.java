package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;
import io.sifr.internal.util.Workspaces;
import java.nio.ByteBuffer;

/** Blocks in LZ4's block format, see {@link Lz4Block}. Thread-safe. */
@Immutable
final class Lz4Codec implements FormatCodec {
  @SuppressWarnings("Immutable") // what is in it does not matter
  private final Workspaces<char[]> tables = new Workspaces<>(Lz4Block::newTable);

  @SuppressWarnings("Immutable") // what is in it does not matter
  private final Workspaces<Scratch> scratches = new Workspaces<>(Scratch::new);

  @Override
  public int id() {
    return 1;
  }

  @Override
  public Compression setting() {
    return Compression.LZ4;
  }

  @Override
  public String title() {
    return "LZ4";
  }

  @Override
  public double price() {
    return 3;
  }

  @Override
  public boolean encode(ByteBuffer raw, ByteBuffer target) {
    int rawAt = raw.arrayOffset() + raw.position();
    int start = target.arrayOffset() + target.position();
    int limit = start + Math.min(target.remaining(), BlockCodec.worth(raw.remaining()));
    char[] table = tables.take();
    int end =
        Lz4Block.encode(
            raw.array(), rawAt, rawAt + raw.remaining(), target.array(), start, limit, table);
    tables.give(table);
    if (end < 0) {
      return false;
    }
    target.position(end - target.arrayOffset());
    return true;
  }

  @Override
  public void decode(ByteBuffer payload, ByteBuffer target) {
    int payloadBytes = payload.remaining();
    int rawBytes = target.remaining();
    Scratch scratch = scratches.take();
    try {
      byte[] raw = scratch.forRaw(rawBytes);
      Lz4Block.decode(scratch.withPayload(payload), payloadBytes, raw, rawBytes);
      target.put(raw, 0, rawBytes);
    } finally {
      scratches.give(scratch);
    }
  }
}
