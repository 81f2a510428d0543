package io.sifr.internal.sst.read;

import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.sst.format.BlockCodecs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Codecs that tests store blocks with. */
public final class TestCodecs {
  /**
   * Turns the bytes round and adds one: nothing of a block lies where it would as it is. It refuses
   * one block in eight, so that both kinds lie in a file.
   */
  public static final BlockCodec REVERSING = new Reversing();

  /** Makes blocks smaller. */
  public static final BlockCodec DEFLATING = new Deflating();

  /** Blocks are stored as they are; all of these codecs can be read. */
  public static final BlockCodecs READING_ALL = writing(Codecs.NONE);

  private static final int SMALL_PART_BYTES = 24;

  private TestCodecs() {}

  /** Blocks are encoded by that codec; all of these can be read. */
  public static BlockCodecs writing(BlockCodec codec) {
    return new BlockCodecs(codec, REVERSING, DEFLATING);
  }

  /** Blocks are encoded as options say; all of these can be read. */
  public static BlockCodecs of(StoreOptions options) {
    BlockCodec codec = Codecs.required(options.compression());
    return new BlockCodecs(codec, REVERSING, DEFLATING);
  }

  /** The same, with indexes in parts of a few blocks, so that small SSTs have several. */
  public static BlockCodecs inSmallParts(BlockCodec codec) {
    return writing(codec, SMALL_PART_BYTES);
  }

  public static BlockCodecs writing(BlockCodec codec, int indexPartBytes) {
    return new BlockCodecs(indexPartBytes, codec, REVERSING, DEFLATING);
  }

  /** One of these codecs, or of those of the file formats. */
  public static BlockCodec any(Random random) {
    List<BlockCodec> codecs = new ArrayList<>(Codecs.ALL);
    codecs.addAll(List.of(REVERSING, DEFLATING));
    return codecs.get(random.nextInt(codecs.size()));
  }

  private static final class Reversing implements BlockCodec {
    private static final byte ADDED = 0x2A;

    @Override
    public int id() {
      return 122;
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
      return 123;
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
