package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    "all.tsv,",
    "all.tsv,--hex",
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
    byte[] before = Cli.run(source, "export").bytes();
    assertThat(before).hasSizeGreaterThan(100_000);
    assertThat(Cli.run(target, "export").bytes()).isEqualTo(before);
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
    assertThat(load.err()).isEqualTo("sifr: line 1501: no tab between key and value\n");
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
  void anOutputThatCannotBeWrittenIsNamed() {
    fillWithRandomBytes(source, 1);
    Path impossible = temporary.resolve("no-directory/all.tsv");

    Cli.Result export = Cli.run(source, "export", impossible.toString());

    assertThat(export.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(export.err()).contains(impossible.toString()).hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"random", "ascending", "streams:3", "strays:0.2"})
  void generatedEntriesAreLoadedAndStatisticsShown(String workload) {
    Cli.Result load =
        Cli.run(target, "load", "--generate", workload, "--entries", "2000", "--json");

    assertThat(load.exitCode()).describedAs(load.toString()).isZero();
    assertThat(load.out())
        .contains("\"loadedEntries\":2000", "\"peakDiskBytes\":", "\"writeAmplification\":");
    if (!workload.startsWith("strays")) {
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
    assertThat(Cli.run(target, "load", "--generate", "zipf").err())
        .contains("'zipf' is no workload");
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
}
