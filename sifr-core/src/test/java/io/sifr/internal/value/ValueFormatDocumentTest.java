package io.sifr.internal.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.testing.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The worked example of the format's description is what the code writes, and reads. */
class ValueFormatDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "value-files.md");
  private static final long DUE = 1_700_000_000_000L;

  @TempDir Path directory;

  @Test
  void theExampleIsWhatIsWritten() throws IOException {
    ValueFixture fixture = new ValueFixture(directory);
    List<Reference> references = fixture.write(Codecs.NONE, entries());
    assertThat(dump(fixture.content())).isEqualTo(block("dump"));
    assertThat(dump(references.get(1).encoded())).isEqualTo(block("reference"));
  }

  @Test
  void theExampleIsReadBack() throws IOException {
    ValueFixture fixture = new ValueFixture(directory);
    Files.write(fixture.path(), parse(block("dump")));
    Reference reference = Reference.decode(ByteBuffer.wrap(parse(block("reference"))));
    try (ValueFile file = fixture.open()) {
      file.verify();
      byte[] value = new byte[reference.valueBytes()];
      file.read(reference, ValueFixture.bytes("banana"), 0, value.length, value, 0);
      assertThat(value).isEqualTo(ValueFixture.bytes("yellow"));
      List<String> found = new ArrayList<>();
      file.scan(
          record ->
              found.add(
                  new String(record.key(), UTF_8)
                      + " "
                      + (record.trailer() >> 4)
                      + " "
                      + record.due()));
      assertThat(found).containsExactly("apple 12 " + Long.MAX_VALUE, "banana 11 " + DUE);
    }
  }

  private static List<Entry> entries() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String line : block("entries")) {
      String[] words = line.trim().split(" +", -1);
      long sequence = Long.parseLong(words[2]);
      byte[] value = ValueFixture.bytes(words[3]);
      entries.add(
          words[0].equals("put")
              ? ValueFixture.put(words[1], sequence, value)
              : ValueFixture.expiring(words[1], sequence, DUE, value));
    }
    return entries;
  }

  /** Lines of the fenced block with that language in the document. */
  private static List<String> block(String language) throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    int start = lines.indexOf("```" + language) + 1;
    assertThat(start).describedAs("block %s", language).isPositive();
    List<String> rest = lines.subList(start, lines.size());
    return rest.subList(0, rest.indexOf("```"));
  }

  private static List<String> dump(byte[] bytes) {
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += 16) {
      byte[] line = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 16));
      StringBuilder text = new StringBuilder();
      for (byte b : line) {
        text.append(b >= ' ' && b < 127 ? (char) b : '.');
      }
      String hex = HexFormat.ofDelimiter(" ").formatHex(line);
      lines.add("%04x  %-47s  %s".formatted(at, hex, text));
    }
    return lines;
  }

  private static byte[] parse(List<String> dump) {
    StringBuilder hex = new StringBuilder();
    dump.forEach(line -> hex.append(line.substring(6, 6 + 47).trim()).append(' '));
    return HexFormat.ofDelimiter(" ").parseHex(hex.toString().trim());
  }
}
