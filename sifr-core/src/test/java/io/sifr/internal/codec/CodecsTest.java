package io.sifr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Compression;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodecsTest {
  private static final int LARGEST = 65_472;
  private final Random random = new Random(5);

  static Stream<FormatCodec> encoding() {
    return Codecs.ALL.stream().filter(codec -> codec != Codecs.NONE);
  }

  /** Runs, repetitions at all distances, and random bytes, in random proportions. */
  private byte[] draw(int bytes) {
    byte[] drawn = new byte[bytes];
    int alphabet = 1 + random.nextInt(256);
    int at = 0;
    while (at < bytes) {
      int length = Math.min(bytes - at, 1 + random.nextInt(1 << random.nextInt(10)));
      int kind = random.nextInt(4);
      if (kind == 0 && at > 0) {
        int from = random.nextInt(at);
        for (int i = 0; i < length; i++) {
          drawn[at + i] = drawn[from + i];
        }
      } else {
        byte once = (byte) random.nextInt(alphabet);
        for (int i = 0; i < length; i++) {
          drawn[at + i] = kind == 1 ? once : (byte) random.nextInt(alphabet);
        }
      }
      at += length;
    }
    return drawn;
  }

  private int drawSize() {
    return random.nextInt(3) == 0
        ? random.nextInt(40)
        : random.nextInt(1 + random.nextInt(LARGEST));
  }

  /** Empty if the codec declines. */
  private static byte[] encoded(BlockCodec codec, byte[] raw) {
    byte[] within = new byte[raw.length + 20];
    System.arraycopy(raw, 0, within, 9, raw.length);
    ByteBuffer target = ByteBuffer.wrap(new byte[raw.length + 300], 11, raw.length + 200);
    boolean done = codec.encode(ByteBuffer.wrap(within, 9, raw.length), target);
    return done ? Arrays.copyOfRange(target.array(), 11, target.position()) : new byte[0];
  }

  private static byte[] decoded(BlockCodec codec, byte[] payload, int bytes) {
    ByteBuffer from = ByteBuffer.allocateDirect(payload.length + 10);
    from.position(7).put(payload).flip().position(7);
    ByteBuffer target = ByteBuffer.allocateDirect(bytes + 9).position(9);
    codec.decode(from, target);
    byte[] raw = new byte[target.position() - 9];
    target.get(9, raw);
    return raw;
  }

  @ParameterizedTest
  @MethodSource("encoding")
  void whatWasEncodedIsDecoded(FormatCodec tested) {
    int encoded = 0;
    for (int i = 0; i < 2000; i++) {
      byte[] raw = draw(i == 0 ? LARGEST : i < 60 ? i : drawSize());
      byte[] payload = encoded(tested, raw);
      if (payload.length > 0) {
        encoded++;
        assertThat(payload.length).isLessThanOrEqualTo(raw.length - raw.length / 8);
        assertThat(decoded(tested, payload, raw.length)).isEqualTo(raw);
      }
    }
    assertThat(encoded).isGreaterThan(800);
  }

  @ParameterizedTest
  @MethodSource("encoding")
  void longRunsAndLongLiteralsAreEncoded(FormatCodec tested) {
    for (int random : new int[] {14, 15, 16, 269, 270, 271, 525}) {
      for (int run : new int[] {4000, 18, 19, 20, 274, 275, 530}) {
        byte[] raw = new byte[random + run + 4000];
        for (int i = 0; i < random; i++) {
          raw[i] = (byte) this.random.nextInt();
        }
        Arrays.fill(raw, random, random + run, (byte) 3);
        byte[] payload = encoded(tested, raw);
        assertThat(payload).isNotEmpty();
        assertThat(decoded(tested, payload, raw.length)).isEqualTo(raw);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("encoding")
  void randomBytesAreDeclined(FormatCodec tested) {
    byte[] raw = new byte[8000];
    random.nextBytes(raw);
    assertThat(encoded(tested, raw)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("encoding")
  void aTargetThatIsTooSmallIsNotWrittenBeyond(FormatCodec tested) {
    for (int i = 0; i < 300; i++) {
      byte[] raw = draw(100 + random.nextInt(9000));
      int room = random.nextInt(raw.length);
      byte[] target = new byte[room + 64];
      ByteBuffer into = ByteBuffer.wrap(target).limit(room);
      boolean done = tested.encode(ByteBuffer.wrap(raw), into);
      assertThat(done && into.position() > room).isFalse();
      assertThat(IntStream.range(room, target.length).allMatch(at -> target[at] == 0)).isTrue();
    }
  }

  /** Nothing but the allowed exceptions, and nothing is written outside. */
  @ParameterizedTest
  @MethodSource("encoding")
  void damageIsNoticedOrDecodesToSomething(FormatCodec tested) {
    for (int i = 0; i < 3000; i++) {
      byte[] raw = draw(100 + random.nextInt(5000));
      byte[] payload = encoded(tested, raw);
      if (payload.length == 0) {
        continue;
      }
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        payload[random.nextInt(payload.length)] ^= (byte) (1 << random.nextInt(8));
      }
      byte[] cut =
          random.nextInt(4) == 0 ? Arrays.copyOf(payload, random.nextInt(payload.length)) : payload;
      int size = random.nextInt(4) == 0 ? random.nextInt(6000) : raw.length;
      try {
        assertThat(decoded(tested, cut, size).length).isLessThanOrEqualTo(size);
      } catch (IllegalArgumentException | BufferOverflowException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("encoding")
  void anotherSizeIsRefused(FormatCodec tested) {
    byte[] raw = new byte[1000];
    byte[] payload = encoded(tested, raw);
    assertThatThrownBy(() -> decoded(tested, payload, 999))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Blocks that the format's description calls for: they can be read by other programs. */
  @Test
  void lz4DecodesWhatIsWrittenByHand() {
    // Three literals, a match of 9 at distance 3, five literals.
    byte[] payload =
        HexFormat.of().parseHex("35616263" + "0300" + "50" + "7677787970".substring(0, 10));
    assertThat(
            new String(
                decoded(Codecs.LZ4, payload, 17), java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo("abcabcabcabcvwxyp");
  }

  /** What users can choose is listed once, and what is written is read by its number. */
  @Test
  void eachSettingHasOneCodecAndEachNumberToo() {
    assertThat(Codecs.ALL)
        .extracting(FormatCodec::setting)
        .containsExactlyInAnyOrder(Compression.values());
    for (FormatCodec codec : Codecs.ALL) {
      assertThat(Codecs.of(codec.setting())).isSameAs(codec);
      assertThat(Codecs.required(codec.setting())).isSameAs(codec);
      assertThat(codec.id()).isBetween(0, 255);
      assertThat(Codecs.withId(codec.id())).isSameAs(codec);
      assertThat(Codecs.name(codec.id())).isEqualTo(codec.title());
      assertThat(codec.price()).isGreaterThanOrEqualTo(1);
    }
    assertThat(Codecs.ALL).extracting(FormatCodec::title).doesNotHaveDuplicates();
    assertThat(Codecs.withId(249)).isNull();
    assertThat(Codecs.name(249)).isEqualTo("249");
  }

  /** They are in files: no release may change them. */
  @Test
  void numbersStayAsTheyAre() {
    Map<Compression, Integer> numbers =
        Codecs.ALL.stream().collect(Collectors.toMap(FormatCodec::setting, FormatCodec::id));
    assertThat(numbers)
        .containsEntry(Compression.NONE, 0)
        .containsEntry(Compression.LZ4, 1)
        .containsEntry(Compression.ZSTD, 2);
  }
}
