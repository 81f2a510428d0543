package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordFormatTest {

  @ParameterizedTest
  @CsvSource({"TSV,false", "TSV,true", "JSONL,false", "JSONL,true"})
  void anyBytesComeBackAsTheyWere(RecordFormat format, boolean hex) throws IOException {
    long seed = 7;
    Random random = new Random(seed);
    List<byte[]> fields = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      fields.add(randomField(random, i));
    }

    byte[] text = write(format, hex, fields);
    RecordReader reader = format.reader(new ByteArrayInputStream(text), hex);

    for (int i = 0; i < fields.size(); i += 2) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).describedAs("seed %d, key %d", seed, i).isEqualTo(fields.get(i));
      assertThat(reader.value())
          .describedAs("seed %d, value %d", seed, i)
          .isEqualTo(fields.get(i + 1));
      assertThat(reader.line()).isEqualTo(i / 2 + 1);
    }
    assertThat(reader.next()).isFalse();
    assertThat(reader.bytesRead()).isEqualTo(text.length);
  }

  private static byte[] randomField(Random random, int i) {
    int length = i % 50 == 0 ? 100_000 : random.nextInt(40);
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    if (i % 3 == 0) {
      return new String(bytes, UTF_8).getBytes(UTF_8);
    }
    return i % 3 == 1 ? new String(bytes, ISO_8859_1).getBytes(UTF_8) : bytes;
  }

  private static byte[] write(RecordFormat format, boolean hex, List<byte[]> fields)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RecordWriter writer = format.writer(out, hex);
    for (int i = 0; i < fields.size(); i += 2) {
      writer.write(fields.get(i), fields.get(i + 1));
    }
    return out.toByteArray();
  }

  @Test
  void tsvIsKeyTabValue() throws IOException {
    List<byte[]> fields = List.of("a\tb".getBytes(UTF_8), "ä\n".getBytes(UTF_8));

    assertThat(write(RecordFormat.TSV, false, fields)).asString(UTF_8).isEqualTo("a\\tb\tä\\n\n");
    assertThat(write(RecordFormat.TSV, true, fields)).asString(UTF_8).isEqualTo("610962\tc3a40a\n");
  }

  @Test
  void jsonHasStringsWhereTheBytesAreUtf8() throws IOException {
    List<byte[]> fields = List.of("a\tb".getBytes(UTF_8), new byte[] {(byte) 0xFF});

    assertThat(write(RecordFormat.JSONL, false, fields))
        .asString(UTF_8)
        .isEqualTo("{\"key\":\"a\\tb\",\"valueHex\":\"ff\"}\n");
    assertThat(write(RecordFormat.JSONL, true, fields))
        .asString(UTF_8)
        .isEqualTo("{\"keyHex\":\"610962\",\"valueHex\":\"ff\"}\n");
  }

  @Test
  void linesMayEndAsOnWindowsAndTheLastOneNotAtAll() throws IOException {
    RecordReader reader = reader(RecordFormat.TSV, "a\tb\r\n\t\r\nc\td");

    assertThat(reader.next()).isTrue();
    assertThat(reader.value()).asString(UTF_8).isEqualTo("b");
    assertThat(reader.next()).isTrue();
    assertThat(reader.key()).isEmpty();
    assertThat(reader.value()).isEmpty();
    assertThat(reader.next()).isTrue();
    assertThat(reader.value()).asString(UTF_8).isEqualTo("d");
    assertThat(reader.next()).isFalse();
  }

  @Test
  void emptyLinesOfJsonAreSkippedAndCounted() throws IOException {
    RecordReader reader = reader(RecordFormat.JSONL, "\n  \n{\"value\":\"v\", \"key\":\"k\"}\n\n");

    assertThat(reader.next()).isTrue();
    assertThat(reader.key()).asString(UTF_8).isEqualTo("k");
    assertThat(reader.line()).isEqualTo(3);
    assertThat(reader.next()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TSV|false|no tab|no tab",
        "TSV|false|a\tb\tc|a second tab",
        "TSV|false|a\t\\y|value: unknown escape",
        "TSV|false|a\\\tb|key: a backslash ends",
        "TSV|true|0g\t00|key: not hexadecimal: 'g' at position 2",
        "TSV|true|00\t0|value: not hexadecimal: 1 digits",
        "JSONL|false|nonsense|not JSON",
        "JSONL|false|[]|not a JSON object",
        "JSONL|false|{\"key\":\"k\"}|no value",
        "JSONL|false|{\"value\":\"v\"}|no key",
        "JSONL|false|{\"key\":1,\"value\":\"v\"}|'key' is not a string",
        "JSONL|false|{\"key\":\"k\",\"value\":\"v\",\"ttl\":\"1\"}|unknown field 'ttl'",
        "JSONL|false|{\"key\":\"k\",\"keyHex\":\"00\",\"value\":\"v\"}|two fields for the key",
        "JSONL|false|{\"key\":\"k\",\"key\":\"k\",\"value\":\"v\"}|not JSON: Duplicate",
        "JSONL|false|{\"keyHex\":\"0\",\"value\":\"v\"}|keyHex: not hexadecimal",
        "JSONL|false|{\"key\":\"\\uD800\",\"value\":\"v\"}|key: half of a surrogate pair",
        "JSONL|false|{\"key\":\"k\",\"value\":\"v\"} {}|more than one JSON object",
        "JSONL|false|{\"key\":\"k\",\"value\":\"v\"|not JSON"
      })
  void brokenLinesAreNamedByTheirNumber(
      RecordFormat format, boolean hex, String line, String message) throws IOException {
    String good = format == RecordFormat.TSV ? "00\t00\n" : "{\"key\":\"k\",\"value\":\"v\"}\n";
    RecordReader reader =
        format.reader(new ByteArrayInputStream((good + line + "\n").getBytes(UTF_8)), hex);
    assertThat(reader.next()).isTrue();

    assertThatThrownBy(reader::next)
        .isInstanceOf(BadRecordException.class)
        .hasMessageStartingWith("line 2: ")
        .hasMessageContaining(message);
  }

  @Test
  void invalidUtf8InJsonIsRefused() {
    byte[] line = "{\"key\":\"\u00FF\",\"value\":\"v\"}".getBytes(ISO_8859_1);

    assertThatThrownBy(
            () -> RecordFormat.JSONL.reader(new ByteArrayInputStream(line), false).next())
        .isInstanceOf(BadRecordException.class);
  }

  @Test
  void theNameOfAFileTellsItsFormat() {
    assertThat(RecordFormat.of(Path.of("a.jsonl"))).isEqualTo(RecordFormat.JSONL);
    assertThat(RecordFormat.of(Path.of("dir.tsv", "A.NDJSON"))).isEqualTo(RecordFormat.JSONL);
    assertThat(RecordFormat.of(Path.of("a.tsv"))).isEqualTo(RecordFormat.TSV);
    assertThat(RecordFormat.of(Path.of("-"))).isEqualTo(RecordFormat.TSV);
  }

  private static RecordReader reader(RecordFormat format, String text) {
    return format.reader(new ByteArrayInputStream(text.getBytes(UTF_8)), false);
  }
}
