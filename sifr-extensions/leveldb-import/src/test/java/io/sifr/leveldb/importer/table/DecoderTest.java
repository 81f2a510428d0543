package io.sifr.leveldb.importer.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class DecoderTest {
  private static final int MOST = 1 << 20;

  private final byte[] raw = "a block of entries ".repeat(300).getBytes(UTF_8);
  private final Decoder decoder = new Decoder(MOST);

  private static byte[] deflate(byte[] raw, boolean isRaw) {
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, isRaw);
    deflater.setInput(raw);
    deflater.finish();
    byte[] stored = new byte[raw.length + 100];
    int length = deflater.deflate(stored);
    deflater.end();
    return Arrays.copyOf(stored, length);
  }

  private static byte[] zstd(byte[] raw) {
    ZstdCompressor compressor = new ZstdCompressor();
    byte[] stored = new byte[compressor.maxCompressedLength(raw.length)];
    int length = compressor.compress(raw, 0, raw.length, stored, 0, stored.length);
    return Arrays.copyOf(stored, length);
  }

  private static byte[] snappy(byte[] raw) {
    SnappyCompressor compressor = new SnappyCompressor();
    byte[] stored = new byte[compressor.maxCompressedLength(raw.length)];
    int length = compressor.compress(raw, 0, raw.length, stored, 0, stored.length);
    return Arrays.copyOf(stored, length);
  }

  private byte[] decode(int type, byte[] stored) throws Decoder.UndecodableException {
    return decoder.decode(type, stored, stored.length);
  }

  @Test
  void aTypeMayMeanTwoThings() throws Decoder.UndecodableException {
    assertThat(decode(0, raw)).isEqualTo(raw);
    assertThat(decode(1, snappy(raw))).isEqualTo(raw);
    assertThat(decode(2, deflate(raw, false))).isEqualTo(raw);
    assertThat(decode(2, zstd(raw))).isEqualTo(raw);
    assertThat(decode(3, zstd(raw))).isEqualTo(raw);
    assertThat(decode(4, deflate(raw, true))).isEqualTo(raw);
    assertThatThrownBy(() -> decode(5, raw))
        .hasMessage("of the type 5, which no LevelDB known here writes");
  }

  @Test
  void whatIsCutOffIsNotDecoded() {
    byte[][] stored = {snappy(raw), deflate(raw, false), zstd(raw), deflate(raw, true)};
    for (int type = 1; type <= 4; type++) {
      byte[] whole = stored[type - 1];
      for (int length = 0; length < whole.length; length++) {
        int cutType = type;
        byte[] cut = Arrays.copyOf(whole, length);
        assertThatThrownBy(() -> decode(cutType, cut))
            .as("type %d, %d of %d bytes", type, length, whole.length)
            .isInstanceOf(Decoder.UndecodableException.class);
      }
    }
  }

  @Test
  void noMoreIsDecodedThanIsAllowed() {
    byte[] large = new byte[MOST + 1];
    byte[][] stored = {snappy(large), deflate(large, false), zstd(large), deflate(large, true)};
    for (int type = 1; type <= 4; type++) {
      int largeType = type;
      assertThatThrownBy(() -> decode(largeType, stored[largeType - 1]))
          .hasMessageContaining("it has more than 1048576 bytes");
    }
  }

  @Test
  void whatSnappySaysOfItsLengthIsNotBelieved() {
    byte[] stored = {(byte) 0xff, (byte) 0xff, 0x3f, 0, 1};
    assertThatThrownBy(() -> decode(1, stored)).hasMessageContaining("it says that it has 1048575");
  }
}
