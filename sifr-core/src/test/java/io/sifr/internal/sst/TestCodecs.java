package io.sifr.internal.sst;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Codecs that tests store blocks with; whoever uses one has made it known. */
public final class TestCodecs {
  /**
   * Turns the bytes round and adds one: nothing of a block lies where it would as it is. It refuses
   * one block in eight, so that both kinds lie in a file.
   */
  public static final BlockCodec REVERSING = new Reversing();

  /** Makes blocks smaller. */
  public static final BlockCodec DEFLATING = new Deflating();

  static {
    BlockCodecs.add(REVERSING);
    BlockCodecs.add(DEFLATING);
  }

  private TestCodecs() {}

  private static final class Reversing implements BlockCodec {
    private static final byte ADDED = 0x2A;

    @Override
    public int id() {
      return 250;
    }

    @Override
    public boolean encode(ByteBuffer raw, ByteBuffer target) {
      int from = raw.position();
      int sum = 0;
      for (int i = from; i < raw.limit(); i++) {
        sum += raw.get(i);
      }
      if (sum % 8 == 1 || target.remaining() <= raw.remaining()) {
        return false;
      }
      target.put(ADDED);
      for (int i = raw.limit() - 1; i >= from; i--) {
        target.put(raw.get(i));
      }
      return true;
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer target) {
      if (payload.remaining() < 1 || payload.get(payload.position()) != ADDED) {
        throw new IllegalArgumentException("the added byte is missing");
      }
      for (int i = payload.limit() - 1; i > payload.position(); i--) {
        target.put(payload.get(i));
      }
    }
  }

  private static final class Deflating implements BlockCodec {
    @Override
    public int id() {
      return 251;
    }

    @Override
    public boolean encode(ByteBuffer raw, ByteBuffer target) {
      Deflater deflater = new Deflater(Deflater.BEST_SPEED);
      try {
        deflater.setInput(raw.duplicate());
        deflater.finish();
        int bytes = deflater.deflate(target);
        return deflater.finished() && bytes < raw.remaining();
      } finally {
        deflater.end();
      }
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer target) {
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(payload);
        inflater.inflate(target);
      } catch (DataFormatException e) {
        throw new IllegalArgumentException("not deflated", e);
      } finally {
        inflater.end();
      }
    }
  }
}
