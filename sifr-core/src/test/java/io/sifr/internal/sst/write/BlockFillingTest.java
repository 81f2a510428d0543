package io.sifr.internal.sst.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.testing.Entry;
import io.sifr.testing.Padded;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoded blocks are filled until they take a page, with few attempts. */
class BlockFillingTest {
  private static final int BYTES = 2 << 20;

  private final Random random = new Random(7);
  private SstFixture fixture = new SstFixture();
  private CountingCodec counting = new CountingCodec(Codecs.NONE);

  enum Encoding {
    LZ4(Codecs.LZ4),
    ZSTD(Codecs.ZSTD),
    DEFLATED(TestCodecs.DEFLATING);

    private final BlockCodec codec;

    Encoding(BlockCodec codec) {
      this.codec = codec;
    }
  }

  private void encodeWith(BlockCodec codec) {
    fixture.close();
    counting = new CountingCodec(codec);
    fixture = new SstFixture(ReadMode.MMAP, TestCodecs.writing(counting), 1 << 20);
  }

  @AfterEach
  void nothingLeaks() {
    fixture.close();
  }

  /** Half of it random digits. */
  private byte[] halfRandom(int bytes) {
    byte[] value = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      value[i] = (byte) (i < bytes / 2 ? random.nextInt(256) : 'a');
    }
    return value;
  }

  /** Words, of which some are frequent. */
  private byte[] words(int bytes) {
    StringBuilder text = new StringBuilder();
    while (text.length() < bytes) {
      int word = (int) Math.min(5000, Math.abs(random.nextGaussian()) * 400);
      text.append(Integer.toString(word * 7919 + 1_000_000, 36)).append(' ');
    }
    return SstFixture.ascii(text.substring(0, bytes));
  }

  private SstMeta write(IntFunction<byte[]> values) {
    List<Entry> entries = new ArrayList<>();
    long content = 0;
    for (int i = 0; content < BYTES; i++) {
      byte[] value = values.apply(i);
      byte[] key = SstFixture.ascii("user" + Padded.number(i * 1_000_003L, 19));
      entries.add(Entry.of(key, 1, EntryKind.PUT, value));
      content += value.length + key.length;
    }
    return fixture.write(entries);
  }

  private static double fill(List<BlockInfo> blocks) {
    long payload = blocks.stream().mapToLong(block -> block.encoding().payloadBytes()).sum();
    long pages = blocks.stream().mapToLong(BlockInfo::pages).sum();
    return (double) payload / (pages * SstFormat.PAGE_BYTES);
  }

  private void assertFilled(SstMeta meta, double least, double mostAttempts) {
    List<BlockInfo> all = fixture.blockInfos(meta);
    List<BlockInfo> blocks = all.subList(0, all.size() - 1); // the last one takes what is left
    double attempts = (double) counting.attempts / blocks.size();
    assertThat(blocks.stream().filter(block -> block.encoding().codec().equals("none"))).isEmpty();
    assertThat(fill(blocks)).isGreaterThan(least);
    assertThat(attempts).isLessThan(mostAttempts);
  }

  @ParameterizedTest
  @EnumSource
  void smallEntriesFillPages(Encoding encoding) {
    for (int size : new int[] {50, 100, 300}) {
      encodeWith(encoding.codec);
      SstMeta meta = write(i -> words(1 + random.nextInt(2 * size)));
      assertFilled(meta, 0.95, 1.1);
      assertThat(fixture.blockInfos(meta)).allMatch(block -> block.pages() == 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void halfRandomValuesFillPages(Encoding encoding) {
    encodeWith(encoding.codec);
    SstMeta meta = write(i -> halfRandom(100));
    assertFilled(meta, 0.95, 1.2);
    assertThat(fixture.blockInfos(meta)).allMatch(block -> block.pages() == 1);
  }

  /** Blocks take as many pages as they need to be filled. */
  @ParameterizedTest
  @ValueSource(ints = {700, 1000, 1500, 2000, 2500, 3000, 5000, 7000, 11_000, 20_000, 40_000})
  void valuesOfSomeKibibytesWasteLittle(int bytes) {
    encodeWith(Codecs.LZ4);
    assertFilled(write(i -> halfRandom(bytes)), 0.87, 2.1);
    encodeWith(Codecs.LZ4);
    assertFilled(write(i -> halfRandom(bytes / 2 + random.nextInt(bytes))), 0.9, 1.8);
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "ZSTD"})
  void whatDoesNotGetSmallerIsStoredAsItIs(Encoding encoding) {
    encodeWith(encoding.codec);
    SstMeta meta =
        write(
            i -> {
              byte[] value = new byte[100];
              random.nextBytes(value);
              return value;
            });
    List<BlockInfo> blocks = fixture.blockInfos(meta);
    long plain = blocks.stream().filter(block -> block.encoding().codec().equals("none")).count();
    assertThat(plain).isGreaterThan(blocks.size() * 99L / 100);
    assertThat(counting.attempts).isLessThan(blocks.size() / 8);
    assertThat(blocks).allMatch(block -> block.pages() == 1);
  }

  @ParameterizedTest
  @EnumSource
  void oneThatFollowsWhatDoesNotIsEncodedAgain(Encoding encoding) {
    encodeWith(encoding.codec);
    SstMeta meta =
        write(
            i -> {
              byte[] value = new byte[100];
              if (i < 5000) {
                random.nextBytes(value);
              }
              return value;
            });
    List<BlockInfo> blocks = fixture.blockInfos(meta);
    BlockInfo last = blocks.get(blocks.size() - 2);
    assertThat(last.encoding().codec()).isNotEqualTo("none");
    assertThat(last.encoding().rawBytes()).as("bytes that all are the same").isGreaterThan(20_000);
    assertThat(blocks)
        .allMatch(block -> block.encoding().rawBytes() <= SstFormat.MAX_ENCODED_RAW_BYTES);
  }

  /** The same entries make the same file. */
  @ParameterizedTest
  @EnumSource
  void fillingIsDeterministic(Encoding encoding) {
    encodeWith(encoding.codec);
    random.setSeed(3);
    byte[] once = fixture.fs.content(SstFixture.path(write(i -> words(80)))).clone();
    encodeWith(encoding.codec);
    random.setSeed(3);
    byte[] twice = fixture.fs.content(SstFixture.path(write(i -> words(80))));
    assertThat(Arrays.equals(once, twice)).isTrue();
  }

  /** Counts how often something is encoded. */
  private static final class CountingCodec implements BlockCodec {
    private final BlockCodec codec;

    @SuppressWarnings("Immutable") // counts
    private int attempts;

    CountingCodec(BlockCodec codec) {
      this.codec = codec;
    }

    @Override
    public int id() {
      return codec.id();
    }

    @Override
    public boolean encode(ByteBuffer raw, ByteBuffer target) {
      attempts++;
      return codec.encode(raw, target);
    }

    @Override
    public void decode(ByteBuffer payload, ByteBuffer target) {
      codec.decode(payload, target);
    }
  }
}
