package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.testing.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The worked example of the format's description is what the code writes, and reads. */
class SstFormatDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "sst.md");

  private final SstFixture fixture = new SstFixture();

  @Test
  void theExampleIsWhatIsWritten() throws IOException {
    SstMeta meta = fixture.write(entries());
    assertThat(dump(fixture.fs.content(SstFixture.path(meta)))).isEqualTo(block("dump"));
  }

  @Test
  void theExampleIsReadBack() throws IOException {
    SstMeta written = fixture.write(entries()).with(KeySketch.NONE); // which is in the manifest
    Path path = SstFixture.path(written);
    fixture.fs.put(path, parse(block("dump")));
    SstMeta meta = fixture.readMeta(written.number());
    assertThat(meta).usingRecursiveComparison().isEqualTo(written);
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries());
    }
  }

  @Test
  void theEncodedExampleIsWhatIsWrittenAndRead() throws IOException {
    try (SstFixture encoded = new SstFixture(ReadMode.MMAP, TestCodecs.REVERSING)) {
      SstMeta meta = encoded.write(entries());
      byte[] file = encoded.fs.content(SstFixture.path(meta));
      assertThat(dump(Arrays.copyOf(file, SstFormat.PAGE_BYTES))).isEqualTo(block("encoded"));
      try (SstReader reader = encoded.open(meta)) {
        assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries());
      }
    }
  }

  @Test
  void theExampleWithAFilterIsWhatIsWrittenAndRead() throws IOException {
    SstMeta meta = fixture.write(entries(), SstFixture.NUMBER, SstFixture.UNIQUE_ID, 10);
    byte[] file = fixture.fs.content(SstFixture.path(meta));
    byte[] page = Arrays.copyOfRange(file, SstFormat.PAGE_BYTES, 2 * SstFormat.PAGE_BYTES);
    assertThat(dump(page)).isEqualTo(block("filter"));
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      for (Entry entry : entries()) {
        assertThat(reader.mayHold(KeyHash.of(entry.key(), 0, entry.key().length))).isTrue();
      }
      byte[] absent = SstFixture.ascii("lemon");
      assertThat(reader.mayHold(KeyHash.of(absent, 0, absent.length))).isFalse();
    }
  }

  @Test
  void theExampleWithGroupsIsWhatIsWrittenAndRead() throws IOException {
    List<Entry> entries = entries("paths");
    SstMeta meta = fixture.write(entries);
    byte[] file = fixture.fs.content(SstFixture.path(meta));
    byte[] page = Arrays.copyOf(file, SstFormat.PAGE_BYTES - StoredBlock.BYTES);
    assertThat(dump(page)).isEqualTo(block("groups"));
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries);
    }
  }

  @Test
  void theExampleWithRangeTombstonesIsWhatIsWrittenAndRead() throws IOException {
    SstMeta meta = fixture.write(entries(), ranges());
    byte[] file = fixture.fs.content(SstFixture.path(meta));
    try (SstReader reader = fixture.open(meta)) {
      Footer footer = reader.tail().footer();
      int from = footer.propertiesOffset() & -16;
      int to = (footer.propertiesEnd() + 15) & -16;
      assertThat(dump(Arrays.copyOfRange(file, from, to), from)).isEqualTo(block("with-ranges"));
      reader.verify();
      assertThat(reader.rangeTombstones()).hasToString(ranges().toString());
      assertThat(SstFixture.readForwards(reader.iterator())).isEqualTo(entries());
    }
    assertThat(meta.rangeTombstones()).isEqualTo(4);
    assertThat(meta.smallestKey()).isEqualTo(SstFixture.ascii("apple"));
    assertThat(meta.largestKey()).isEqualTo(EntryLimits.LAST_KEY);
  }

  /** Each line is: first key, -, end, sequence number. */
  private static RangeTombstones ranges() throws IOException {
    List<RangeTombstones> ranges = new ArrayList<>();
    for (String line : block("ranges")) {
      String[] words = line.split(" ", -1);
      ranges.add(
          RangeTombstones.of(
              SstFixture.ascii(words[0]),
              words[2].equals("end") ? null : SstFixture.ascii(words[2]),
              Long.parseLong(words[3])));
    }
    return Objects.requireNonNull(RangeTombstones.merged(ranges));
  }

  /** Lines of the fenced block with that language in the document. */
  private static List<String> block(String language) throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    int start = lines.indexOf("```" + language) + 1;
    assertThat(start).describedAs("block %s", language).isPositive();
    List<String> rest = lines.subList(start, lines.size());
    return rest.subList(0, rest.indexOf("```"));
  }

  /** Each line is: kind, key, sequence number, value. */
  private static List<Entry> entries() throws IOException {
    return entries("entries");
  }

  private static List<Entry> entries(String language) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String line : block(language)) {
      String[] words = line.trim().split(" +", -1);
      byte[] value = SstFixture.ascii(words.length > 3 ? words[3] : "");
      EntryKind kind = words[0].equals("put") ? EntryKind.PUT : EntryKind.DELETE;
      entries.add(Entry.of(SstFixture.ascii(words[1]), Long.parseLong(words[2]), kind, value));
    }
    return entries;
  }

  /** Sixteen bytes a line; a star stands for lines of zeros. */
  private static List<String> dump(byte[] bytes) {
    return dump(bytes, 0);
  }

  private static List<String> dump(byte[] bytes, int offset) {
    HexFormat hex = HexFormat.ofDelimiter(" ");
    List<String> lines = new ArrayList<>();
    boolean zeros = false;
    for (int at = 0; at < bytes.length; at += 16) {
      byte[] line = Arrays.copyOfRange(bytes, at, at + 16);
      if (Arrays.equals(line, new byte[16])) {
        if (!zeros) {
          lines.add("*");
        }
        zeros = true;
        continue;
      }
      zeros = false;
      StringBuilder text = new StringBuilder();
      for (byte b : line) {
        text.append(b >= ' ' && b < 127 ? (char) b : '.');
      }
      lines.add("%04x  %s  %s".formatted(offset + at, hex.formatHex(line), text));
    }
    return lines;
  }

  private static byte[] parse(List<String> dump) {
    byte[] bytes = new byte[2 * SstFormat.PAGE_BYTES];
    for (String line : dump) {
      if (!line.equals("*")) {
        byte[] part = HexFormat.ofDelimiter(" ").parseHex(line.substring(6, 6 + 47));
        System.arraycopy(part, 0, bytes, Integer.parseInt(line.substring(0, 4), 16), part.length);
      }
    }
    return bytes;
  }
}
