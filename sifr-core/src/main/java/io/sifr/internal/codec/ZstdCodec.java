package io.sifr.internal.codec;

import com.google.errorprone.annotations.Immutable;
import io.sifr.config.Compression;
import io.sifr.internal.util.Workspaces;
import java.nio.ByteBuffer;

/** Blocks that are Zstandard frames, see {@link ZstdLibrary}. Thread-safe. */
@Immutable
final class ZstdCodec implements FormatCodec {
  @SuppressWarnings("Immutable") // what is in it does not matter
  private final Workspaces<Scratch> scratches = new Workspaces<>(Scratch::new);

  @SuppressWarnings("Immutable") // what is in it does not matter
  private final Workspaces<ZstdLibrary.Decoder> decoders =
      new Workspaces<>(ZstdLibrary.Decoder::new);

  @Override
  public int id() {
    return 2;
  }

  @Override
  public Compression setting() {
    return Compression.ZSTD;
  }

  @Override
  public String title() {
    return "Zstandard";
  }

  @Override
  public double price() {
    return 8;
  }

  @Override
  public void require() {
    ZstdLibrary.require();
  }

  /**
   * The library may write more than the target has room for, and it would not notice: so it writes
   * elsewhere.
   */
  @Override
  public boolean encode(ByteBuffer raw, ByteBuffer target) {
    Scratch scratch = scratches.take();
    try {
      byte[] encoded = scratch.forRaw(ZstdLibrary.most(raw.remaining()));
      int from = raw.arrayOffset() + raw.position();
      int bytes = ZstdLibrary.encode(raw.array(), from, raw.remaining(), encoded);
      if (bytes > Math.min(target.remaining(), BlockCodec.worth(raw.remaining()))) {
        return false;
      }
      target.put(encoded, 0, bytes);
      return true;
    } finally {
      scratches.give(scratch);
    }
  }

  @Override
  public void decode(ByteBuffer payload, ByteBuffer target) {
    int payloadBytes = payload.remaining();
    int rawBytes = target.remaining();
    ZstdLibrary.Decoder decoder = decoders.take();
    Scratch scratch = scratches.take();
    try {
      byte[] raw = scratch.forRaw(rawBytes);
      int decoded = decoder.decode(scratch.withPayload(payload), payloadBytes, raw, rawBytes);
      target.put(raw, 0, decoded);
    } finally {
      scratches.give(scratch);
      decoders.give(decoder);
    }
  }
}
