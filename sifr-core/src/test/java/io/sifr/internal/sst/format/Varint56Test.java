package io.sifr.internal.sst.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.sst.format.EntryHeader.Varint56;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Varint56Test {
  @Test
  void writesWhatTheLoopWrites() {
    forValues(
        value -> {
          byte[] expected = new byte[10];
          int length = VarInts.put(expected, 0, value);
          byte[] actual = new byte[12];
          Arrays.fill(actual, (byte) 0x55);
          int end = Varint56.put(actual, 3, value);
          assertThat(end - 3).describedAs("width of %d", value).isEqualTo(length);
          assertThat(Arrays.copyOfRange(actual, 3, end))
              .describedAs("bytes of %d", value)
              .isEqualTo(Arrays.copyOf(expected, length));
          assertThat(actual).startsWith(0x55, 0x55, 0x55);
        });
  }

  @Test
  void readsBackASequence() {
    forValues(
        value -> {
          byte[] bytes = new byte[20];
          Arrays.fill(bytes, (byte) 0x80);
          int second = Varint56.put(bytes, 0, value & 0x3FFF);
          int end = Varint56.put(bytes, second, value);
          Arrays.fill(bytes, end, bytes.length, (byte) 0xFF);
          long word = Long.reverseBytes(Bytes.getLong(bytes, 0));
          long stops = Varint56.stops(word);
          int from = Varint56.end(stops);
          assertThat(from).isEqualTo(8 * second);
          assertThat(Varint56.between(word, 0, from)).isEqualTo(value & 0x3FFF);
          long rest = Varint56.following(stops);
          if (end <= Long.BYTES) {
            assertThat(Varint56.end(rest)).isEqualTo(8 * end);
            assertThat(Varint56.between(word, from, 8 * end)).isEqualTo(value);
          } else {
            assertThat(rest).isZero();
          }
          word = Long.reverseBytes(Bytes.getLong(bytes, second));
          assertThat(Varint56.between(word, 0, Varint56.end(Varint56.stops(word))))
              .isEqualTo(value);
        });
  }

  private interface Check {
    void run(long value);
  }

  private static void forValues(Check check) {
    Random random = new Random(1);
    for (int bits = 0; bits <= 56; bits++) {
      check.run((1L << bits) - 1);
      check.run(Math.min(1L << bits, (1L << 56) - 1));
      for (int i = 0; i < 100; i++) {
        check.run(random.nextLong() & ((1L << bits) - 1));
      }
    }
  }
}
