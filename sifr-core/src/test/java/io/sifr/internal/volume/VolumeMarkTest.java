package io.sifr.internal.volume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.CheckedLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class VolumeMarkTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "fast-directory.md");
  private static final Path FILE = Path.of("FAST");
  private static final VolumeMark MARK =
      new VolumeMark(0x00f1e2d3c4b5a697L, "/mnt/nvme/orders", false);

  private static byte[] documented() throws IOException {
    String text = Files.readString(DOCUMENT);
    int begin = text.indexOf("```mark\n") + "```mark\n".length();
    return text.substring(begin, text.indexOf("```", begin)).getBytes(UTF_8);
  }

  @Test
  void theExampleIsWhatIsWrittenAndRead() throws IOException {
    assertThat(new String(MARK.encode(), UTF_8)).isEqualTo(new String(documented(), UTF_8));
    assertThat(VolumeMark.decode(FILE, documented())).isEqualTo(MARK);
  }

  @Test
  void pathsMayHaveAllThatALineMay() {
    VolumeMark mark = new VolumeMark(-1, "/a b/crc 12345678/näher/日本", true);
    assertThat(VolumeMark.decode(FILE, mark.encode())).isEqualTo(mark);
  }

  @Test
  void eachByteMatters() {
    byte[] right = MARK.encode();
    for (int i = 0; i < right.length; i++) {
      byte[] wrong = right.clone();
      wrong[i] ^= 1;
      assertThatThrownBy(() -> VolumeMark.decode(FILE, wrong))
          .isInstanceOf(CorruptionException.class);
      byte[] cut = Arrays.copyOf(right, i);
      assertThatThrownBy(() -> VolumeMark.decode(FILE, cut))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void anotherVersionIsNamed() {
    byte[] next = CheckedLine.encode("sifr 2 volume of another kind");
    assertThatThrownBy(() -> VolumeMark.decode(FILE, next))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version is 2, supported: 1");
    byte[] other = CheckedLine.encode("sifr 1 volume without an id");
    assertThatThrownBy(() -> VolumeMark.decode(FILE, other))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the line has another form");
  }
}
