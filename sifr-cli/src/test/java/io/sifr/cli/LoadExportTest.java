package io.sifr.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadExportTest {
  @TempDir private Path temporary;
  private Path source;
  private Path target;

  @BeforeEach
  void chooseStores() {
    source = temporary.resolve("source");
    target = temporary.resolve("target");
  }

  private static void fillWithRandomBytes(Path directory, long seed) {
    Random random = new Random(seed);
    try (Store store = Store.open(directory)) {
      for (int i = 0; i < 3000; i++) {
        byte[] key = new byte[random.nextInt(20)];
        byte[] value = new byte[random.nextInt(i % 100 == 0 ? 20_000 : 100)];
        random.nextBytes(key);
        random.nextBytes(value);
        store.database().put(key, value);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "all.tsv,--escaped",
    "all.tsv,--hex",
    "all.csv,",
    "all.csv,--hex",
    "all.jsonl,",
    "all.jsonl,--hex",
    "all.txt,--format=jsonl"
  })
  void whatIsExportedIsLoadedByteForByte(String name, String option) throws IOException {
    fillWithRandomBytes(source, 11);
    String file = temporary.resolve(name).toString();
    String[] arguments = option == null ? new String[] {file} : new String[] {file, option};

    Cli.Result export = Cli.run(source, "export", arguments);
    Cli.Result load = Cli.run(target, "load", arguments);

    assertThat(export.exitCode()).describedAs(export.toString()).isZero();
    assertThat(load.exitCode()).describedAs(load.toString()).isZero();
    byte[] before = Cli.run(source, "export", "--escaped").bytes();
    assertThat(before).hasSizeGreaterThan(100_000);
    assertThat(Cli.run(target, "export", "--escaped").bytes()).isEqualTo(before);
    // Nothing of a progress bar where there is no terminal.
    assertThat(export.err()).isEmpty();
    assertThat(load.err()).isEmpty();
  }

  @Test
  void standardStreamsServeAsFiles() {
    Cli cli = new Cli("b\t2\na\t1\n".getBytes(UTF_8), TerminalTraits.NONE);

    assertThat(cli.execute(target, "load").out()).startsWith("loaded 2 entries, 4 B, in ");

    assertThat(Cli.run(target, "export").out()).isEqualTo("a\t1\nb\t2\n");
    assertThat(Cli.run(target, "export", "-", "--format", "jsonl").out())
        .isEqualTo("{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"2\"}\n");
    assertThat(Cli.run(target, "export", "--from", "b").out()).isEqualTo("b\t2\n");
  }

  @Test
  void aBrokenLineIsNamedAndTheLinesBeforeItAreLoaded() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1500; i++) {
      text.append("key").append(i).append("\tvalue\n");
    }
    text.append("no tab here\nlater\tvalue\n");
    Cli cli = new Cli(text.toString().getBytes(UTF_8), TerminalTraits.NONE);

    Cli.Result load = cli.execute(target, "load");

    assertThat(load.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(load.err())
        .isEqualTo("sifr: line 1501, column 2: there is 1 column; allowed: 2 or more\n");
    assertThat(load.out()).isEmpty();
    assertThat(Cli.run(target, "get", "key1499").exitCode()).isZero();
    assertThat(Cli.run(target, "get", "later").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void aKeyThatIsTooLongIsABrokenLine() {
    String text = "a\t1\n" + "k".repeat((1 << 16) + 1) + "\t2\n";

    Cli.Result load = new Cli(text.getBytes(UTF_8), TerminalTraits.NONE).execute(target, "load");

    assertThat(load.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(load.err()).startsWith("sifr: line 2: ").contains("65536");
    assertThat(Cli.run(target, "get", "a").out()).isEqualTo("1\n");
  }

  @Test
  void aMissingInputIsNamedAndMakesNoStore() {
    Path missing = temporary.resolve("missing.tsv");

    Cli.Result load = Cli.run(target, "load", missing.toString());

    assertThat(load.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(load.err()).isEqualTo("sifr: no such file: " + missing + "\n");
    assertThat(target).doesNotExist();
  }

  @Test
  void aDirectoryIsNoInput() {
    Cli.Result load = Cli.run(target, "load", temporary.toString());

    assertThat(load.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(load.err()).isEqualTo("sifr: " + temporary + " is a directory\n");
    assertThat(target).doesNotExist();
  }

  @Test
  void anOutputThatCannotBeWrittenIsNamed() {
    fillWithRandomBytes(source, 1);
    Path impossible = temporary.resolve("no-directory/all.tsv");

    Cli.Result export = Cli.run(source, "export", impossible.toString());

    assertThat(export.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(export.err()).contains(impossible.toString()).hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"random", "ascending", "streams:3", "outliers:0.2"})
  void generatedEntriesAreLoadedAndStatisticsShown(String workload) {
    Cli.Result load =
        Cli.run(target, "load", "--generate", workload, "--entries", "2000", "--json");

    assertThat(load.exitCode()).describedAs(load.toString()).isZero();
    assertThat(load.out())
        .contains("\"loadedEntries\":2000", "\"peakDiskBytes\":", "\"writeAmplification\":");
    if (!workload.startsWith("outliers")) {
      assertThat(Cli.run(target, "scan", "--keys-only").out()).hasLineCount(2000);
    }
    assertThat(Cli.run(target, "scan", "--limit", "1").out()).startsWith("user");
  }

  @Test
  void contradictionsAreUsageErrors() throws IOException {
    Path file = Files.writeString(temporary.resolve("a.tsv"), "a\t1\n");

    assertThat(Cli.run(target, "load", "--generate", "random", file.toString()).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(target, "load", "--entries", "5", file.toString()).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    for (String option : new String[] {"--header", "--on-error=stop", "--raw", "--hex"}) {
      assertThat(Cli.run(target, "load", "--generate", "random", option).exitCode())
          .describedAs(option)
          .isEqualTo(ExitCodes.USAGE);
    }
    assertThat(Cli.run(target, "load", "--generate", "zipf").err())
        .contains("'zipf' is not a workload");
    assertThat(Cli.run(target, "load", "--generate", "random", "--entries", "-1").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(target).doesNotExist();
  }

  @Test
  void aTerminalGetsAProgressBar() throws IOException {
    Path file = Files.writeString(temporary.resolve("a.tsv"), "a\t1\n");
    Cli cli = new Cli(new byte[0], new TerminalTraits(false, true, 80, false));

    Cli.Result load = cli.execute(target, "load", file.toString());

    assertThat(load.err()).contains("\rload ").contains("100%").endsWith("\n");
    assertThat(load.out()).doesNotContain("\r");
  }

  private Cli.Result load(String text, String... options) {
    return new Cli(text.getBytes(UTF_8), TerminalTraits.NONE).execute(target, "load", options);
  }

  /** Names of units of systemd, Windows paths, quotes, more than two columns, bytes of Latin-1. */
  @Test
  void whatIsLoadedWithoutOptionsIsExportedWithoutOptionsByteForByte() throws IOException {
    byte[] table =
        """
        "quoted"\t'x'
        C:\\temp\tnew\\table
        caf\u00e9\tol\u00e9
        plain\t
        system-systemd\\x2dcryptsetup.slice\tloaded\tactive\tCryptsetup Units
        windows\tline\r
        """
            .getBytes(ISO_8859_1);
    Path file = Files.write(temporary.resolve("units.tsv"), table);

    Cli.Result load = Cli.run(target, "load", file.toString());

    assertThat(load.exitCode()).describedAs(load.toString()).isZero();
    Cli.Result export = Cli.run(target, "export");
    assertThat(export.exitCode()).describedAs(export.toString()).isZero();
    assertThat(export.bytes()).isEqualTo(table);
  }

  @Test
  void whatATableCannotHoldIsNamedWithWhatCan() {
    assertThat(Cli.run(target, "put", "a", "1").exitCode()).isZero();
    assertThat(Cli.run(target, "put", "poem", "two\nlines").exitCode()).isZero();

    Cli.Result export = Cli.run(target, "export");

    assertThat(export.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(export.err())
        .isEqualTo(
            "sifr: cannot write the entry of key 'poem': its value holds a line feed;"
                + " use --escaped, --format csv or --format jsonl\n");
    assertThat(Cli.run(target, "export", "--escaped").out()).isEqualTo("a\t1\npoem\ttwo\\nlines\n");
    assertThat(Cli.run(target, "export", "--format=csv").out())
        .isEqualTo("a,1\npoem,\"two\nlines\"\n");
    assertThat(Cli.run(target, "export", "--raw").exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
  }

  @Test
  void columnsAreChosenByNumberOrName() {
    String csv = "id,name,note\n1,apple,\"red, sweet\"\n2,pear,green\n";
    assertThat(
            load(csv, "--format=csv", "--header", "--key-column=name", "--value-column=note")
                .exitCode())
        .isZero();
    assertThat(Cli.run(target, "get", "apple").out()).isEqualTo("red, sweet\n");

    assertThat(
            load(csv, "--format=csv", "--header", "--key-column=1", "--value-column=rest")
                .exitCode())
        .isZero();
    assertThat(
            Cli.run(
                    target,
                    "export",
                    "--format=csv",
                    "--value-column=rest",
                    "--to=3",
                    "--header=id,name,note")
                .out())
        .isEqualTo(csv);
  }

  @Test
  void aListOfWordsGoesInAndOutAsKeysAlone() {
    String words = "\ttab first\n\\x2d\nback\\slash\ntab\tinside\ntab last\t\n";

    assertThat(load(words, "--raw", "--keys-only").exitCode()).isZero();

    assertThat(Cli.run(target, "export", "--raw", "--keys-only").out()).isEqualTo(words);
    assertThat(Cli.run(target, "get", "tab\tinside").out()).isEqualTo("\n");
  }

  @Test
  void brokenLinesAreSkippedOnRequestAndCounted() {
    StringBuilder text = new StringBuilder("a\t1\n");
    for (int i = 2; i <= 8; i++) {
      text.append("no tab ").append(i).append('\n');
    }
    text.append("k".repeat((1 << 16) + 1)).append("\t2\nb\t2\n");

    Cli.Result load = load(text.toString(), "--on-error=skip");

    assertThat(load.exitCode()).isZero();
    assertThat(load.out()).startsWith("loaded 2 entries, ");
    assertThat(load.err())
        .startsWith("skipped line 2, column 2: there is 1 column; allowed: 2 or more\n")
        .contains("skipped line 6, column 2: ")
        .doesNotContain("line 7")
        .endsWith("skipped 8 lines, of which these are the first 5\n")
        .hasLineCount(6);
    assertThat(Cli.run(target, "export").out()).isEqualTo("a\t1\nb\t2\n");

    Cli.Result json = load("a\t1\nbroken\n", "--on-error=skip", "--json");
    assertThat(json.out())
        .contains(
            "\"loadedEntries\":1",
            "\"skippedLines\":1,\"firstSkipped\":[{\"line\":2,\"column\":2,"
                + "\"what\":\"there is 1 column; allowed: 2 or more\"}]");
    assertThat(json.err()).hasLineCount(2).endsWith("skipped 1 line\n");
    assertThat(load("c\t3\n", "--on-error=skip").err()).isEmpty();
  }

  @Test
  void whereItIsNotKnownWhereTheNextRowBeginsNothingIsSkipped() {
    Cli.Result load = load("a,1\nb,\"x\"y\nc,3\n", "--format=csv", "--on-error=skip");

    assertThat(load.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(load.err())
        .isEqualTo(
            "sifr: line 2, column 2: Unexpected character after closing quote: 'y' (0x79);"
                + " allowed between quotes: anything, where a quote is written twice\n");
    assertThat(Cli.run(target, "export").out()).isEqualTo("a\t1\n");
  }

  @Test
  void optionsThatDoNotFitTheFormatTouchNothing() throws IOException {
    Path file = Files.writeString(temporary.resolve("a.csv"), "a,1\n");
    for (String[] options :
        new String[][] {
          {"--escaped"},
          {"--raw", "--hex"},
          {"--raw", "--format=csv"},
          {"--raw", "--key-column=2"},
          {"--hex", "--escaped"},
          {"--keys-only", "--value-column=2"},
          {"--key-column=name"},
          {"--format=jsonl", "--crlf"}
        }) {
      List<String> arguments = new ArrayList<>(List.of(options));
      arguments.add(file.toString());
      String[] all = arguments.toArray(String[]::new);

      assertThat(Cli.run(target, "load", all).exitCode())
          .describedAs("%s", arguments)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(Cli.run(target, "export", all).exitCode())
          .describedAs("%s", arguments)
          .isEqualTo(ExitCodes.USAGE);
    }
    assertThat(target).doesNotExist();
    assertThat(file).hasContent("a,1\n");
  }

  @Test
  void jsonOfAnyProgramIsLoadedAndExportedAsItIs(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("events.log"); // no name that would tell the format
    String second = "{\"id\": 2, \"price\": 1.50, \"tags\": [\"a\\u00e9\"]}";
    String first = "{\"price\":1e3,\"id\":\"1\"}";
    Files.writeString(
        file,
        "\uFEFF" + second + "\r\n\r\n{\"name\":\"none\"}\r\n" + first + "\r\n{\"id\":3,}\r\n");
    Path target = directory.resolve("store");

    Cli.Result stopped = Cli.run(target, "load", "--key-field=id", file.toString());
    assertThat(stopped.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(stopped.err()).isEqualTo("sifr: line 3: no field 'id'\n");

    Cli.Result load =
        Cli.run(target, "load", "--key-field=id", "--on-error=skip", "--json", file.toString());
    assertThat(load.exitCode()).isZero();
    assertThat(load.out())
        .contains("\"loadedEntries\":2,", "\"skippedLines\":2,", "\"line\":3,", "\"line\":5,");
    assertThat(Cli.run(target, "get", "--raw", "2").out()).isEqualTo(second);
    assertThat(Cli.run(target, "export", "--key-field=id").out())
        .isEqualTo(first + "\n" + second + "\n");
    assertThat(Cli.run(target, "export", "--key-field=id", "--prefix=2", "--value-field=v").out())
        .isEqualTo("{\"id\":\"2\",\"v\":" + second + "}\n");

    assertThat(Cli.run(target, "export", "--key-field=user.id", "--keys-only").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(target, "load", "--key-field=id", "table.csv").err())
        .isEqualTo("sifr: fields can be chosen only with --format JSONL; it is CSV\n");
    assertThat(Cli.run(target, "load", "--value-field=v", "x").err())
        .isEqualTo("sifr: --value-field needs --key-field\n");
    assertThat(Cli.run(target, "put", "9", "plain").exitCode()).isZero();
    Cli.Result unwritable = Cli.run(target, "export", "--key-field=id");
    assertThat(unwritable.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(unwritable.err()).contains("cannot write the entry of key '9'", "--value-field");
  }
}
