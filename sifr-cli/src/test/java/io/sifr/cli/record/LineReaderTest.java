package io.sifr.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LineReaderTest {

  @Test
  void linesAreFoundHoweverTheStreamIsCut() throws IOException {
    long seed = 3;
    Random random = new Random(seed);
    List<byte[]> lines = new ArrayList<>();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int i = 0; i < 300; i++) {
      // Some are longer than the buffer, which then has to grow.
      byte[] line = new byte[i % 20 == 0 ? 70_000 + random.nextInt(100_000) : random.nextInt(300)];
      Arrays.fill(line, (byte) ('a' + i % 26));
      lines.add(line);
      text.writeBytes(line);
      text.write('\n');
    }

    LineReader reader = new LineReader(new Trickle(text.toByteArray(), random), LineEnd.LF);

    for (int i = 0; i < lines.size(); i++) {
      assertThat(reader.next()).isTrue();
      assertThat(Arrays.copyOfRange(reader.buffer(), reader.start(), reader.end()))
          .describedAs("seed %d, line %d", seed, i)
          .isEqualTo(lines.get(i));
      assertThat(reader.number()).isEqualTo(i + 1);
    }
    assertThat(reader.bytesRead()).isEqualTo(text.size());
    assertThat(reader.next()).isFalse();
    assertThat(reader.next()).isFalse();
  }

  /** Gives as few bytes as it likes. */
  private static final class Trickle extends InputStream {
    private final InputStream bytes;
    private final Random random;

    Trickle(byte[] bytes, Random random) {
      this.bytes = new ByteArrayInputStream(bytes);
      this.random = random;
    }

    @Override
    public int read() throws IOException {
      return bytes.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int most = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(5000);
      return bytes.read(target, offset, Math.min(length, most));
    }
  }
}
