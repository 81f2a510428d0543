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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordLayoutTest {

  private static RecordLayout layout(RecordFormat format, FieldText text) {
    return new RecordLayout(format, text, LineEnd.LF, false, null, null, JsonFields.NONE);
  }

  private static RecordLayout plain(RecordFormat format) {
    return layout(format, FieldText.PLAIN);
  }

  private static RecordLayout columns(
      RecordFormat format, @Nullable String key, @Nullable String value) {
    return new RecordLayout(
        format, FieldText.PLAIN, LineEnd.LF, false, key, value, JsonFields.NONE);
  }

  private static RecordLayout keysOnly(RecordFormat format, FieldText text) {
    return new RecordLayout(format, text, LineEnd.LF, true, null, null, JsonFields.NONE);
  }

  private static RecordLayout crlf(RecordFormat format) {
    return new RecordLayout(
        format, FieldText.PLAIN, LineEnd.CRLF, false, null, null, JsonFields.NONE);
  }

  private static RecordReader reader(RecordLayout layout, String text) throws IOException {
    return layout.reader(new ByteArrayInputStream(text.getBytes(UTF_8)), false);
  }

  /** Reads everything, as "key=value" with the escapes of {@link TextBytes}. */
  private static List<String> entries(RecordReader reader) throws IOException {
    List<String> entries = new ArrayList<>();
    while (reader.next()) {
      entries.add(TextBytes.escape(reader.key()) + "=" + TextBytes.escape(reader.value()));
    }
    return entries;
  }

  private static List<String> read(RecordLayout layout, String text) throws IOException {
    return entries(reader(layout, text));
  }

  private static List<String> readWithHeader(RecordLayout layout, String text) throws IOException {
    return entries(layout.reader(new ByteArrayInputStream(text.getBytes(UTF_8)), true));
  }

  /** Reads entries and writes them again. */
  private static byte[] copy(RecordLayout layout, byte[] text) throws IOException {
    RecordReader reader = layout.reader(new ByteArrayInputStream(text), false);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RecordWriter writer = layout.writer(out, null);
    while (reader.next()) {
      if (layout.keysOnly()) {
        writer.writeKey(reader.key());
      } else {
        writer.write(reader.key(), reader.value());
      }
    }
    return out.toByteArray();
  }

  private static byte[] write(RecordLayout layout, List<byte[]> fields) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RecordWriter writer = layout.writer(out, null);
    for (int i = 0; i < fields.size(); i += 2) {
      writer.write(fields.get(i), fields.get(i + 1));
    }
    return out.toByteArray();
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

  @ParameterizedTest
  @CsvSource({"TSV,ESCAPED", "TSV,HEX", "CSV,PLAIN", "CSV,HEX", "JSONL,PLAIN", "JSONL,HEX"})
  void anyBytesComeBackAsTheyWere(RecordFormat format, FieldText text) throws IOException {
    long seed = 7;
    Random random = new Random(seed);
    List<byte[]> fields = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      fields.add(randomField(random, i));
    }
    RecordLayout layout = layout(format, text);

    byte[] written = write(layout, fields);
    RecordReader reader = layout.reader(new ByteArrayInputStream(written), false);

    for (int i = 0; i < fields.size(); i += 2) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).describedAs("seed %d, key %d", seed, i).isEqualTo(fields.get(i));
      assertThat(reader.value())
          .describedAs("seed %d, value %d", seed, i)
          .isEqualTo(fields.get(i + 1));
    }
    assertThat(reader.next()).isFalse();
    assertThat(reader.bytesRead()).isEqualTo(written.length);
  }

  /** Lines of anything: what is an entry is written as it was read, to the byte. */
  @ParameterizedTest
  @CsvSource({"TSV,false", "TSV,true", "RAW,false", "RAW,true", "CSV,false", "CSV,true"})
  void whatIsReadIsWrittenByteForByte(RecordFormat format, boolean keysOnly) throws IOException {
    long seed = 23;
    Random random = new Random(seed);
    RecordLayout layout =
        keysOnly
            ? keysOnly(format, FieldText.PLAIN)
            : columns(format, null, format == RecordFormat.CSV ? "rest" : null);
    String alphabet = "ab\t\t,\"\\\r\u00e9\u00ff\u0000#xn2d ";
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder();
      for (int n = random.nextInt(12); n > 0; n--) {
        line.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      byte[] text = line.append('\n').toString().getBytes(ISO_8859_1);
      byte[] copy;
      try {
        copy = copy(layout, text);
      } catch (BadRecordException e) {
        continue;
      }
      if (format == RecordFormat.CSV && !isCanonical(line.toString())) {
        continue;
      }
      accepted++;
      assertThat(copy).describedAs("seed %d, round %d, %s", seed, i, line).isEqualTo(text);
    }
    assertThat(accepted).isGreaterThan(1000);
  }

  /** Whether nothing is in quotes, for CSV may be written in more than one way. */
  private static boolean isCanonical(String line) {
    return line.indexOf('"') < 0 && line.indexOf('\r') < 0;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "system-systemd\\x2dcryptsetup.slice\tloaded\n",
        "a\t\\t\\q\\\n",
        "key\tsecond\tthird\tfourth\n",
        "\tempty key\nempty value\t\n",
        "windows\tline\r\n",
        "\"not quoted\"\t'x',\"y\n"
      })
  void plainTsvHasNeitherEscapesNorQuotes(String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);

    assertThat(copy(plain(RecordFormat.TSV), bytes)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "apple,red\n",
        "apple,\"red, green\"\n",
        "\"a \"\"quoted\"\" key\",\"several\nlines\r\nof text\"\n",
        "#no comment,#\n",
        "spaces , are kept \n",
        ",\n",
        "tab\t,\\x2d\n"
      })
  void csvIsWrittenAsItWasRead(String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);

    assertThat(copy(plain(RecordFormat.CSV), bytes)).isEqualTo(bytes);
    assertThat(copy(columns(RecordFormat.CSV, null, "rest"), bytes)).isEqualTo(bytes);
    assertThat(copy(columns(RecordFormat.CSV, "2", "rest"), bytes)).isEqualTo(bytes);
    assertThat(copy(columns(RecordFormat.CSV, "2", "1"), bytes)).isEqualTo(bytes);
  }

  @Test
  void fieldsOfCsvLoseTheirQuotes() throws IOException {
    assertThat(read(plain(RecordFormat.CSV), "a,\"b, \"\"c\"\"\"\r\n\"d\",e"))
        .containsExactly("a=b, \"c\"", "d=e");
  }

  @Test
  void anyColumnIsTheKeyOrTheValueAndTheRestIsARow() throws IOException {
    String tsv = "a\tb\tc\nd\te\tf\n";
    assertThat(read(plain(RecordFormat.TSV), tsv)).containsExactly("a=b\\tc", "d=e\\tf");
    assertThat(read(columns(RecordFormat.TSV, "2", null), tsv))
        .containsExactly("b=a\\tc", "e=d\\tf");
    assertThat(read(columns(RecordFormat.TSV, "3", "1"), tsv)).containsExactly("c=a", "f=d");

    String csv = "a,\"b,1\",c\n";
    assertThat(read(columns(RecordFormat.CSV, null, "2"), csv)).containsExactly("a=b,1");
    assertThat(read(columns(RecordFormat.CSV, null, "rest"), csv)).containsExactly("a=\"b,1\",c");
    assertThat(read(columns(RecordFormat.CSV, "2", "rest"), csv)).containsExactly("b,1=a,c");
    for (String key : new String[] {"1", "2", "3"}) {
      assertThat(copy(columns(RecordFormat.TSV, key, "rest"), tsv.getBytes(UTF_8)))
          .asString(UTF_8)
          .isEqualTo(tsv);
      assertThat(copy(columns(RecordFormat.CSV, key, "rest"), csv.getBytes(UTF_8)))
          .asString(UTF_8)
          .isEqualTo(csv);
    }
  }

  @Test
  void aHeaderNamesTheColumns() throws IOException {
    assertThat(
            readWithHeader(
                columns(RecordFormat.CSV, "name", "colour"), "colour,name,price\nred,apple,2\n"))
        .containsExactly("apple=red");
    assertThat(
            readWithHeader(columns(RecordFormat.TSV, "name", null), "\uFEFFname\tcolour\na\tred\n"))
        .containsExactly("a=red");
    assertThatThrownBy(
            () -> readWithHeader(columns(RecordFormat.CSV, "nam", null), "name,colour\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--key-column is 'nam'; allowed: a number from 1 or one of [name, colour]");
    assertThatThrownBy(() -> readWithHeader(plain(RecordFormat.CSV), ""))
        .hasMessageContaining("the input is empty");
  }

  @Test
  void rawLinesAreSplitAtTheFirstTabIfThereIsOne() throws IOException {
    assertThat(read(plain(RecordFormat.RAW), "a\\tb\tc\td\nword\n\n\tv\n"))
        .containsExactly("a\\\\tb=c\\td", "word=", "=", "=v");
  }

  @ParameterizedTest
  @CsvSource({"RAW,PLAIN", "TSV,PLAIN", "TSV,ESCAPED", "TSV,HEX", "CSV,PLAIN", "JSONL,PLAIN"})
  void keysCanStandAlone(RecordFormat format, FieldText text) throws IOException {
    RecordLayout layout = keysOnly(format, text);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    RecordWriter writer = layout.writer(out, null);
    List<String> keys = List.of("", "C:\\temp", "\"x\", y", "ä");
    for (String key : keys) {
      writer.writeKey(key.getBytes(UTF_8));
    }

    RecordReader reader = layout.reader(new ByteArrayInputStream(out.toByteArray()), false);

    for (String key : keys) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).asString(UTF_8).isEqualTo(key);
      assertThat(reader.value()).isEmpty();
    }
    assertThat(reader.next()).isFalse();
  }

  @Test
  void escapedTsvIsKeyTabValue() throws IOException {
    List<byte[]> fields = List.of("a\tb".getBytes(UTF_8), "ä\n".getBytes(UTF_8));

    assertThat(write(layout(RecordFormat.TSV, FieldText.ESCAPED), fields))
        .asString(UTF_8)
        .isEqualTo("a\\tb\tä\\n\n");
    assertThat(write(layout(RecordFormat.TSV, FieldText.HEX), fields))
        .asString(UTF_8)
        .isEqualTo("610962\tc3a40a\n");
  }

  @Test
  void jsonHasStringsWhereTheBytesAreUtf8() throws IOException {
    List<byte[]> fields = List.of("a\tb".getBytes(UTF_8), new byte[] {(byte) 0xFF});

    assertThat(write(plain(RecordFormat.JSONL), fields))
        .asString(UTF_8)
        .isEqualTo("{\"key\":\"a\\tb\",\"valueHex\":\"ff\"}\n");
    assertThat(write(layout(RecordFormat.JSONL, FieldText.HEX), fields))
        .asString(UTF_8)
        .isEqualTo("{\"keyHex\":\"610962\",\"valueHex\":\"ff\"}\n");
  }

  @Test
  void jsonIsUtf8AndEscapesOnlyControlCharacters() throws IOException {
    List<byte[]> fields = List.of("😀 é".getBytes(UTF_8), "𝄞\u0000\u001b".getBytes(UTF_8));

    assertThat(write(plain(RecordFormat.JSONL), fields))
        .asString(UTF_8)
        .isEqualTo("{\"key\":\"😀 é\",\"value\":\"𝄞\\u0000\\u001B\"}\n");
  }

  @Test
  void linesMayEndAsOnWindowsAndTheLastOneNotAtAll() throws IOException {
    assertThat(read(crlf(RecordFormat.TSV), "a\tb\r\n\t\r\nc\td"))
        .containsExactly("a=b", "=", "c=d");
    assertThat(read(plain(RecordFormat.TSV), "a\tb\r\nc\td")).containsExactly("a=b\\r", "c=d");
    for (RecordFormat format : new RecordFormat[] {RecordFormat.TSV, RecordFormat.RAW}) {
      byte[] text = "a\tb\r\nc\td\r\r\n".getBytes(UTF_8);
      assertThat(copy(crlf(format), text)).isEqualTo(text);
    }
    byte[] csv = "a,\"b\r\nc\"\r\nd,e\r\n".getBytes(UTF_8);
    assertThat(copy(crlf(RecordFormat.CSV), csv)).isEqualTo(csv);
    assertThatThrownBy(() -> read(crlf(RecordFormat.TSV), "a\tb\r\nc\td\n"))
        .isInstanceOf(BadRecordException.class)
        .hasMessageStartingWith(
            "line 2: the line ends with a line feed alone; allowed with --crlf");
  }

  @Test
  void emptyLinesOfJsonAreSkippedAndCounted() throws IOException {
    RecordReader reader =
        reader(plain(RecordFormat.JSONL), "\n  \r\n{\"value\":\"v\", \"key\":\"k\"}\r\n\nx");

    assertThat(reader.next()).isTrue();
    assertThat(reader.key()).asString(UTF_8).isEqualTo("k");
    assertThatThrownBy(reader::next).hasMessageStartingWith("line 5, column 1: not JSON");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "TSV|PLAIN|no tab|column 2: there is 1 column; allowed: 2 or more",
        "TSV|PLAIN||column 2: there is 1 column",
        "TSV|ESCAPED|no tab|column 2: there is 1 column; allowed: 2, key and value",
        "TSV|ESCAPED|a\tb\tc|column 3: there are 3 columns; allowed: 2, key and value; --value-column",
        "TSV|ESCAPED|a\t\\y|column 2: unknown escape \\y; known are \\t",
        "TSV|ESCAPED|a\\\tb|column 1: a backslash ends",
        "TSV|HEX|0g\t00|column 1: not hexadecimal: 'g' at position 2",
        "TSV|HEX|00\t0|column 2: not hexadecimal: 1 digits",
        "CSV|PLAIN|a|column 2: there is 1 column; allowed: 2",
        "CSV|PLAIN|a,b,c|column 3: there are 3 columns; allowed: 2",
        "CSV|PLAIN|a,\"b\"c|column 2: Unexpected character after closing quote: 'c' (0x63); allowed",
        "CSV|PLAIN|a,\"b|column 2: Unclosed quoted field at end of input; allowed",
        "CSV|HEX|a,b|column 1: not hexadecimal",
        "RAW|PLAIN|a\t|column 2: nothing after the tab; allowed: a value, or no tab",
        "JSONL|PLAIN|nonsense|column 1: not JSON",
        "JSONL|PLAIN|[]|column 1: not a JSON object; allowed: {\"key\":",
        "JSONL|PLAIN|{\"key\":\"k\"}|no value; allowed: {\"key\":",
        "JSONL|PLAIN|{\"value\":\"v\"}|no key",
        "JSONL|PLAIN|{\"key\":1,\"value\":\"v\"}|column 8: 'key' is not a string",
        "JSONL|PLAIN|{\"key\":\"k\",\"value\":\"v\",\"ttl\":\"1\"}|column 30: unknown field 'ttl'",
        "JSONL|PLAIN|{\"key\":\"k\",\"keyHex\":\"00\",\"value\":\"v\"}|two fields for the key",
        "JSONL|PLAIN|{\"key\":\"k\",\"key\":\"k\",\"value\":\"v\"}|not JSON: Duplicate",
        "JSONL|PLAIN|{\"keyHex\":\"0\",\"value\":\"v\"}|column 11: keyHex: not hexadecimal",
        "JSONL|PLAIN|{\"key\":\"\\uD800\",\"value\":\"v\"}|key: half of a surrogate pair",
        "JSONL|PLAIN|{\"key\":\"k\",\"value\":\"v\"} {}|more than one JSON object",
        "JSONL|PLAIN|{\"key\":\"k\",\"value\":\"v\"|not JSON"
      })
  void brokenLinesAreNamedByTheirNumberAndColumn(
      RecordFormat format, FieldText text, @Nullable String line, String message)
      throws IOException {
    String good =
        switch (format) {
          case TSV, RAW -> "00\t00\n";
          case CSV -> "00,00\n";
          case JSONL -> "{\"key\":\"k\",\"value\":\"v\"}\n";
        };
    RecordReader reader =
        reader(layout(format, text), good + (line == null ? "" : line) + "\n" + good);
    assertThat(reader.next()).isTrue();

    assertThatThrownBy(reader::next)
        .isInstanceOfSatisfying(
            BadRecordException.class,
            bad -> {
              assertThat(bad.line()).isEqualTo(2);
              assertThat(bad.getMessage()).startsWith("line 2").contains(message);
              // Only where quotes are wrong it is not known where the next line begins.
              assertThat(bad.isLast()).isEqualTo(message.contains("quote"));
            });

    if (!message.contains("quote")) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "TSV,a\\tb,v,its key holds a tab; use --escaped",
    "TSV,a\\nb,v,its key holds a line feed; use --escaped",
    "TSV,k,a\\nb,its value holds a line feed; use --escaped",
    "RAW,a\\tb,v,its key holds a tab; use --format tsv --escaped",
    "RAW,a\\nb,v,its key holds a line feed",
    "RAW,k,a\\nb,its value holds a line feed"
  })
  void whatWouldBeReadOtherwiseIsNotWritten(
      RecordFormat format, String key, String value, String message) {
    byte[] keyBytes = key.getBytes(UTF_8);
    byte[] valueBytes = value.getBytes(UTF_8);
    List<byte[]> fields =
        List.of(
            TextBytes.unescape(keyBytes, 0, keyBytes.length),
            TextBytes.unescape(valueBytes, 0, valueBytes.length));

    assertThatThrownBy(() -> write(plain(format), fields))
        .isInstanceOf(UnwritableEntryException.class)
        .hasMessageStartingWith("cannot write the entry of key '" + key + "': " + message);
  }

  @Test
  void aValueThatIsNotTheRestOfARowIsNotWritten() {
    for (String value : new String[] {"say \"hi\"", "\"a", "a\nb", "\"needless\"", "a\rb", "a\n"}) {
      assertThatThrownBy(
              () ->
                  write(
                      columns(RecordFormat.CSV, null, "rest"),
                      List.of("k".getBytes(UTF_8), value.getBytes(UTF_8))))
          .describedAs(value)
          .isInstanceOf(UnwritableEntryException.class)
          .hasMessageContaining("its value is not a row of this format; use --value-column 2");
    }
    assertThatThrownBy(
            () ->
                write(
                    columns(RecordFormat.TSV, "4", null),
                    List.of("k".getBytes(UTF_8), "a\tb".getBytes(UTF_8))))
        .hasMessageContaining("its value has 2 columns; allowed for --key-column: 1 to 3");
    assertThatThrownBy(
            () ->
                write(
                    columns(RecordFormat.TSV, null, "2"),
                    List.of("k".getBytes(UTF_8), "a\tb".getBytes(UTF_8))))
        .hasMessageContaining("its value holds a tab; use --escaped");
  }

  @Test
  void choicesThatDoNotFitTogetherAreRefused() {
    assertThatThrownBy(() -> columns(RecordFormat.RAW, "1", null))
        .hasMessage("columns can be chosen only with --format TSV or CSV; it is RAW");
    assertThatThrownBy(() -> layout(RecordFormat.CSV, FieldText.ESCAPED))
        .hasMessage("--escaped only with --format TSV; it is CSV");
    assertThatThrownBy(() -> layout(RecordFormat.RAW, FieldText.HEX))
        .hasMessageContaining("--hex only with --format TSV, CSV or JSONL");
    assertThatThrownBy(() -> crlf(RecordFormat.JSONL)).hasMessageContaining("--crlf only with");
    assertThatThrownBy(() -> readWithHeader(plain(RecordFormat.JSONL), "x"))
        .hasMessageContaining("--header only with");
    assertThatThrownBy(
            () ->
                new RecordLayout(
                    RecordFormat.TSV,
                    FieldText.PLAIN,
                    LineEnd.LF,
                    true,
                    null,
                    "2",
                    JsonFields.NONE))
        .hasMessage("--keys-only and --value-column exclude each other");
    assertThatThrownBy(
            () ->
                new RecordLayout(
                    RecordFormat.TSV,
                    FieldText.HEX,
                    LineEnd.LF,
                    false,
                    null,
                    "rest",
                    JsonFields.NONE))
        .hasMessageContaining("allowed with --escaped and --hex: one column");
    assertThatThrownBy(() -> read(columns(RecordFormat.TSV, "0", null), ""))
        .hasMessage("--key-column is '0'; allowed: a number from 1, or with --header a name");
    assertThatThrownBy(() -> read(columns(RecordFormat.CSV, "3", null), ""))
        .hasMessage("--key-column is 3; then --value-column is needed, too");
    assertThatThrownBy(() -> read(columns(RecordFormat.CSV, "2", "2"), ""))
        .hasMessage("key and value cannot both be in column 2");
    assertThatThrownBy(() -> columns(RecordFormat.CSV, "1", "3").checkWritable(null))
        .hasMessageContaining("allowed when writing: 1 and 2");
    assertThatThrownBy(() -> columns(RecordFormat.CSV, "name", null).checkWritable(null))
        .hasMessageContaining("--key-column is 'name'");
  }

  @Test
  void aHeaderIsWrittenAsItIsGiven() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    crlf(RecordFormat.CSV).writer(out, "näme,\"a, b\"").write(new byte[] {'k'}, new byte[] {'v'});

    assertThat(out.toString(UTF_8)).isEqualTo("näme,\"a, b\"\r\nk,v\r\n");
  }

  @Test
  void invalidUtf8InJsonIsRefused() {
    byte[] line = "{\"key\":\"\u00FF\",\"value\":\"v\"}".getBytes(ISO_8859_1);

    assertThatThrownBy(
            () -> plain(RecordFormat.JSONL).reader(new ByteArrayInputStream(line), false).next())
        .isInstanceOf(BadRecordException.class);
  }

  @Test
  void theNameOfAFileTellsItsFormat() {
    assertThat(RecordFormat.of(Path.of("a.jsonl"))).isEqualTo(RecordFormat.JSONL);
    assertThat(RecordFormat.of(Path.of("dir.tsv", "A.NDJSON"))).isEqualTo(RecordFormat.JSONL);
    assertThat(RecordFormat.of(Path.of("a.CSV"))).isEqualTo(RecordFormat.CSV);
    assertThat(RecordFormat.of(Path.of("a.tsv"))).isEqualTo(RecordFormat.TSV);
    assertThat(RecordFormat.of(Path.of("-"))).isEqualTo(RecordFormat.TSV);
  }
}
