package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worked example of {@code src-docs/format/wal.md} is what this program writes and reads. */
class WalFormatTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "wal.md");
  private static final int SEGMENT_BYTES = 4096;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void writesTheExample(LogAccess access) throws IOException {
    AtomicLong fileNumbers = new AtomicLong(6);
    try (WalWriter writer =
        new WalWriter(
            new WalParts(
                new DiskFileSystem(),
                directory,
                fileNumbers::incrementAndGet,
                () -> 0x0123456789ABCDEFL,
                SEGMENT_BYTES,
                access,
                new WalResources(WalTesting.NEVER)),
            40)) {
      append(writer, 41, 2, "hello");
      writer.sync();
      append(writer, 43, 1, "abc");
      append(writer, 44, 1, "x".repeat(3990));
    }
    byte[] written = Files.readAllBytes(directory.resolve("000000000007.wal"));
    assertThat(dump(written)).isEqualTo(dump(example()));
  }

  private static void append(WalWriter writer, long sequence, int count, String operations) {
    byte[] bytes = operations.getBytes(StandardCharsets.US_ASCII);
    writer.append(sequence, count, bytes, 0, bytes.length);
  }

  @Test
  void readsTheExample() throws IOException {
    Files.write(directory.resolve("000000000007.wal"), example());
    List<String> seen = new ArrayList<>();
    try (WalSegmentReader reader = WalSegmentReader.open(new DiskFileSystem(), directory, 7)) {
      while (reader.next()) {
        StringBuilder line = new StringBuilder();
        line.append(String.format("%04x %d ", reader.offset(), reader.firstSequence()));
        line.append(String.format("%d:%d ", reader.mark().segment(), reader.mark().offset()));
        if (reader.isSeal()) {
          line.append("seal ").append(reader.followingSegment());
        } else {
          reader.visit(
              (first, count, operations, offset, length) ->
                  line.append(count)
                      .append(' ')
                      .append(new String(operations, offset, length, StandardCharsets.US_ASCII)));
        }
        seen.add(line.toString());
      }
      assertThat(reader.endOffset()).isEqualTo(0x90);
      assertThat(reader.size()).isEqualTo(SEGMENT_BYTES);
      assertThat(reader.syncedUpTo()).isEqualTo(0x90);
    }
    assertThat(seen)
        .containsExactly("0020 41 7:32 2 hello", "0048 43 7:72 1 abc", "0068 44 7:72 seal 8");
  }

  /** The segment in the block marked as hex in the document, which leaves zeros out. */
  private static byte[] example() throws IOException {
    String text = Files.readString(DOCUMENT);
    int begin = text.indexOf("```hex\n") + "```hex\n".length();
    ByteBuffer segment = ByteBuffer.allocate(SEGMENT_BYTES);
    text.substring(begin, text.indexOf("```", begin))
        .lines()
        .forEach(
            line ->
                segment.put(
                    Integer.parseInt(line.substring(0, 4), 16),
                    HexFormat.of().parseHex(line.substring(4).replace(" ", ""))));
    return segment.array();
  }

  /** As in the document. */
  private static String dump(byte[] bytes) {
    StringBuilder dump = new StringBuilder();
    for (int at = 0; at < bytes.length; at += 16) {
      byte[] line = Arrays.copyOfRange(bytes, at, Math.min(at + 16, bytes.length));
      dump.append(String.format("%04x  %s%n", at, HexFormat.ofDelimiter(" ").formatHex(line)));
    }
    return dump.toString();
  }
}
