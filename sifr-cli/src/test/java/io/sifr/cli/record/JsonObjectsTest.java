package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JSON Lines of any program: what people have in such files. */
class JsonObjectsTest {
  private static RecordLayout layout(String key, @Nullable String value, FieldText text) {
    return new RecordLayout(
        RecordFormat.JSONL, text, LineEnd.LF, false, null, null, new JsonFields(key, value));
  }

  private static RecordLayout layout(String key, @Nullable String value) {
    return layout(key, value, FieldText.PLAIN);
  }

  /** The entries as "key=value", and what is wrong with the other lines as "line N: …". */
  private static List<String> read(RecordLayout layout, byte[] input) throws IOException {
    RecordReader reader = layout.reader(new ByteArrayInputStream(input), false);
    List<String> found = new ArrayList<>();
    while (true) {
      try {
        if (!reader.next()) {
          return found;
        }
        found.add(new String(reader.key(), UTF_8) + "=" + new String(reader.value(), UTF_8));
      } catch (BadRecordException e) {
        assertThat(e.isLast()).isFalse();
        found.add(String.valueOf(e.getMessage()));
      }
    }
  }

  private static List<String> read(RecordLayout layout, String input) throws IOException {
    return read(layout, input.getBytes(UTF_8));
  }

  private static String write(RecordLayout layout, String key, byte[] value) throws IOException {
    layout.checkWritable(null);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    layout.writer(out, null).write(key.getBytes(UTF_8), value);
    return out.toString(UTF_8);
  }

  private static String write(RecordLayout layout, String key, String value) throws IOException {
    return write(layout, key, value.getBytes(UTF_8));
  }

  @Test
  void theLineIsTheValueByteForByte() throws IOException {
    // Blanks, the order of fields, 1.0 and 1e3, escapes: all as they stand.
    String first = "{ \"b\" : 1.0 , \"id\":\"x\\u00e9\\n\", \"c\":[1e3,{\"d\":null}]}";
    String second = "{\"id\":\"y\",\"big\":123456789012345678901234567890}";

    assertThat(read(layout("id", null), first + "\n" + second))
        .containsExactly("xé\n=" + first, "y=" + second);
  }

  @Test
  void blankLinesAndMarksAndLineEndsAreNoPartOfIt() throws IOException {
    assertThat(
            read(
                layout("id", null),
                "\uFEFF{\"id\":1}\r\n\r\n  \t\n\n  {\"id\":2}  \r\n\uFEFF{\"id\":3}\n{\"id\":4}"))
        .hasSize(4)
        .contains("1={\"id\":1}", "2={\"id\":2}", "4={\"id\":4}")
        .anyMatch(line -> line.startsWith("line 6, column 3: not JSON: "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "7|7",
        "-0|-0",
        "1.50|1.50",
        "1E+3|1E+3",
        "12345678901234567890|12345678901234567890",
        "\"7\"|7",
        "\"\"|``",
        "\"\\uD83D\\uDE00\"|😀",
        "\"a/b.c\"|a/b.c"
      })
  void aKeyIsTheTextOfAStringOrANumber(String json, String key) throws IOException {
    assertThat(read(layout("id", "v"), "{\"v\":1,\"id\":" + json + "}"))
        .containsExactly(key + "=1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"text\"|text",
        "\"{}\"|{}",
        "17|17",
        "1.0e0|1.0e0",
        "true|true",
        "null|null",
        "{ \"a\": [1, 2 ] }|{ \"a\": [1, 2 ] }",
        "[]|[]",
        "\"\"|``"
      })
  void aValueIsTextOrJson(String json, String value) throws IOException {
    assertThat(read(layout("id", "v"), "{\"id\":\"k\",\"v\":" + json + " ,\"w\":{\"v\":9}}"))
        .containsExactly("k=" + value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user.id|user.name",
        "/user/id|user.name",
        "user.id|/user/name",
        "/tags/1|/tags/0",
        "/a.b|/c~1d",
        "/a.b|/m~0n",
        "user.id|user",
        "user.id|/rows/0/x"
      })
  void fieldsMayBeNested(String key, String value) throws IOException {
    String line =
        "{\"user\":{\"name\":\"n\",\"id\":5},\"tags\":[\"n\",5],\"a.b\":5,\"c/d\":\"n\",\"m~n\":\"n\","
            + "\"rows\":[{\"x\":\"n\"}]}";
    String whole = "{\"name\":\"n\",\"id\":5}";

    assertThat(read(layout(key, value), line))
        .containsExactly("5=" + (value.equals("user") ? whole : "n"));
  }

  @Test
  void linesMayBeArrays() throws IOException {
    assertThat(read(layout("/0", "/1"), "[\"k\",{\"a\":1}]\n[2,\"x\",3]\n"))
        .containsExactly("k={\"a\":1}", "2=x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"name\":1}|line 1: no field 'id'",
        "{\"id\":1,\"w\":2}|line 1: no field 'v'",
        "{\"x\":{\"id\":1},\"v\":2}|line 1: no field 'id'",
        "{\"id\":null,\"v\":1}|line 1, column 7: 'id' is null; allowed for a key: a string or a number",
        "{\"id\":true,\"v\":1}|line 1, column 7: 'id' is true; allowed for a key",
        "{\"id\":{\"a\":1},\"v\":1}|line 1, column 7: 'id' is an object; allowed for a key",
        "{\"id\":[1],\"v\":1}|line 1, column 7: 'id' is an array; allowed for a key",
        "{\"id\":\"\\uD800\",\"v\":1}|line 1, column 7: id: half of a surrogate pair is missing",
        "{\"id\":1,\"id\":2,\"v\":1}|line 1, column 13: not JSON: Duplicate",
        "{\"id\":1,\"v\":1,\"x\":{\"a\":1,\"a\":2}}|not JSON: Duplicate",
        "{\"id\":1,\"v\":1} x|not JSON: Unrecognized token 'x'",
        "{\"id\":1,\"v\":1}{\"id\":2}|line 1, column 15: more than one JSON object",
        "{\"id\":1,\"v\":1|not JSON: Unexpected end-of-input",
        "{\"id\":1,'v':1}|not JSON: Unexpected character",
        "{\"id\":01,\"v\":1}|not JSON: Invalid numeric value: Leading zeroes",
        "{\"id\":NaN,\"v\":1}|not JSON: Non-standard token 'NaN'",
        "{\"id\":1,\"v\":1,}|not JSON: Unexpected character",
        "\"id\"|line 1, column 1: not a JSON object; allowed: one with the field 'id'",
        "17|line 1, column 1: not a JSON object",
        "[|not JSON: Unexpected end-of-input",
        "// no comment|not JSON"
      })
  void aLineThatIsNoEntryIsReportedAndTheNextOneIsRead(String line, String message)
      throws IOException {
    List<String> found = read(layout("id", "v"), line + "\n{\"id\":\"k\",\"v\":\"next\"}\n");

    assertThat(found).hasSize(2);
    assertThat(found.get(0)).startsWith("line 1").contains(message);
    assertThat(found.get(1)).isEqualTo("k=next");
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() throws IOException {
    byte[] latin = "{\"id\":\"caf\u00e9\"}\n{\"id\":2}\n".getBytes(StandardCharsets.ISO_8859_1);
    byte[] wide = "{\"id\":1}".getBytes(StandardCharsets.UTF_16LE);

    assertThat(read(layout("id", null), latin))
        .hasSize(2)
        .contains("2={\"id\":2}")
        .anyMatch(line -> line.contains("not JSON: Invalid UTF-8"));
    assertThat(read(layout("id", null), wide)).hasSize(1).first().asString().contains("not JSON");
  }

  @Test
  void deepNestingHasALimitAndHugeLinesHaveNone() throws IOException {
    String fits = "[".repeat(998) + "]".repeat(998);
    String deep = "[".repeat(2000) + "]".repeat(2000);
    String huge = "x".repeat(5_000_000);

    assertThat(read(layout("id", "v"), "{\"id\":1,\"v\":" + fits + "}"))
        .containsExactly("1=" + fits);
    assertThat(read(layout("id", "v"), "{\"id\":1,\"v\":" + deep + "}\n{\"id\":\"k\",\"v\":2}"))
        .hasSize(2)
        .contains("k=2")
        .anyMatch(line -> line.contains("nesting depth"));
    assertThat(read(layout("id", "v"), "{\"v\":\"" + huge + "\",\"id\":1}"))
        .containsExactly("1=" + huge);
  }

  @Test
  void hexadecimalDigitsAreStrings() throws IOException {
    RecordLayout hex = layout("id", "v", FieldText.HEX);

    assertThat(read(hex, "{\"id\":\"6b\",\"v\":\"76\"}")).containsExactly("k=v");
    assertThat(read(hex, "{\"id\":6,\"v\":\"76\"}").get(0)).contains("allowed with --hex");
    assertThat(read(hex, "{\"id\":\"6b\",\"v\":{}}").get(0)).contains("allowed with --hex");
    assertThat(read(hex, "{\"id\":\"6\",\"v\":\"76\"}").get(0)).contains("not hexadecimal");
    assertThat(write(hex, "k", new byte[] {(byte) 0xFF}))
        .isEqualTo("{\"id\":\"6b\",\"v\":\"ff\"}\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text",
        "",
        "{\"a\":[1,2.50],\"b\":\"é😀\"}",
        "[ 1 , 2 ]",
        "17",
        "-1.0E5",
        "true",
        "null",
        "\"quoted\"",
        " {}",
        "{} ",
        "{\n}",
        "{}{}",
        "{\"a\":1,\"a\":2}",
        "NaN",
        "007",
        "\uFEFF{}",
        "a\nb\tc\\\"",
        "{\"a\":"
      })
  void whatIsWrittenWithAFieldForTheValueIsReadBack(String value) throws IOException {
    RecordLayout layout = layout("id", "v");
    String line = write(layout, "k/1", value);

    assertThat(line).startsWith("{\"id\":\"k/1\",\"v\":").endsWith("}\n").hasLineCount(1);
    assertThat(read(layout, line)).containsExactly("k/1=" + value);
    if (value.startsWith("{\"a\":[")) {
      assertThat(line)
          .isEqualTo("{\"id\":\"k/1\",\"v\":" + value + "}\n"); // as JSON, not in quotes
    }
  }

  @Test
  void nestedValuesOfTheGreatestDepthAreReadBack() throws IOException {
    RecordLayout layout = layout("id", "v");
    for (int depth = 997; depth <= 1001; depth++) {
      String value = "[".repeat(depth) + "]".repeat(depth);
      assertThat(read(layout, write(layout, "k", value))).containsExactly("k=" + value);
    }
  }

  @Test
  void randomValuesAreReadBack() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    RecordLayout layout = layout("id", "v");
    String characters = "{}[]\":,0123.eE-+ \t\r\n\\truefalsn\u00e9\u2028";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder value = new StringBuilder();
      for (int n = random.nextInt(8); n >= 0; n--) {
        value.append(characters.charAt(random.nextInt(characters.length())));
      }
      assertThat(read(layout, write(layout, "k", value.toString())))
          .as("seed %d", seed)
          .containsExactly("k=" + value);
    }
  }

  @Test
  void withoutOneTheValueIsTheLineIfItsKeyIsInIt() throws IOException {
    RecordLayout layout = layout("user.id", null);
    String value = "{\"user\":{\"id\":7},\"x\":1.0}";

    assertThat(write(layout, "7", value)).isEqualTo(value + "\n");
    for (String other :
        List.of("{\"user\":{\"id\":8}}", "{\"user\":{}}", "red", "", value + "\n", " " + value)) {
      assertThatThrownBy(() -> write(layout, "7", other))
          .isInstanceOf(UnwritableEntryException.class)
          .hasMessageContaining("cannot write the entry of key '7'")
          .hasMessageContaining("--value-field");
    }
    assertThatThrownBy(() -> write(layout("id", "v"), "k", new byte[] {(byte) 0xFF}))
        .isInstanceOf(UnwritableEntryException.class)
        .hasMessageContaining("its value is not valid UTF-8; use --hex");
  }

  @Test
  void pathsAreChecked() {
    assertThatThrownBy(() -> new JsonFields("", null)).hasMessageStartingWith("--key-field is ''");
    assertThatThrownBy(() -> new JsonFields("a..b", null)).hasMessageContaining("allowed: names");
    assertThatThrownBy(() -> new JsonFields("a", "b."))
        .hasMessageStartingWith("--value-field is 'b.'");
    assertThatThrownBy(() -> new JsonFields(null, "v"))
        .hasMessage("--value-field needs --key-field");
    assertThatThrownBy(() -> new JsonFields("a.b", "/a/b"))
        .hasMessage("key and value cannot both be the field a.b");
    assertThatThrownBy(() -> layout("a.b", "v").checkWritable(null))
        .hasMessage("a field is a.b or v; allowed when writing: a name, not a path");
    assertThatThrownBy(
            () ->
                new RecordLayout(
                    RecordFormat.CSV,
                    FieldText.PLAIN,
                    LineEnd.LF,
                    false,
                    null,
                    null,
                    new JsonFields("id", null)))
        .hasMessage("fields can be chosen only with --format JSONL; it is CSV");
    assertThatThrownBy(
            () ->
                new RecordLayout(
                    RecordFormat.JSONL,
                    FieldText.PLAIN,
                    LineEnd.LF,
                    true,
                    null,
                    null,
                    new JsonFields("id", "v")))
        .hasMessage("--keys-only and --value-field exclude each other");
  }
}
