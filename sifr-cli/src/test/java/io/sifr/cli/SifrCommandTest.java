package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SifrCommandTest {
  @TempDir private Path temporary;

  @Test
  void helpNamesCommandsAndExitCodes() {
    Cli.Result help = Cli.run("--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.out())
        .contains(
            "put",
            "get",
            "merge",
            "delete",
            "scan",
            "changes",
            "count",
            "load",
            "export",
            "stats",
            "forest",
            "check",
            "inspect",
            "salvage",
            "checkpoint",
            "backup",
            "restore",
            "compact",
            "databases",
            "demo",
            "generate-completion")
        .doesNotContain("demo-writer", "\u001b");
    assertThat(Cli.run("--help-all").out()).contains("Exit codes:", "141");
    assertThat(Cli.run("scan", "--help").out()).contains("--keys-only");
    assertThat(Cli.run("salvage", "--help-all").out())
        .contains("SOURCE TARGET", "Exits with 3", "Exit codes:");
    assertThat(Cli.run("databases", "create", "--help").out()).contains("--db=DIR");
  }

  @Test
  void theVersionIsTold() {
    assertThat(Cli.run("--version").out()).startsWith("sifr ");
  }

  @Test
  void mistakesAreOneLine() {
    Cli.Result unknown = Cli.run("frobnicate");
    assertThat(unknown.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(unknown.err()).startsWith("sifr: ").contains("frobnicate").hasLineCount(1);
    assertThat(unknown.out()).isEmpty();

    assertThat(Cli.run("get", "k", "--frob").err()).contains("see sifr get --help");
    assertThat(Cli.run("get", "k").err())
        .startsWith("sifr: Missing required option: '--db=DIR'; the environment variable SIFR_DB")
        .hasLineCount(1);
    assertThat(Cli.run("get", "k", "more").err())
        .isEqualTo("sifr: unexpected argument: 'more' (see sifr get --help)\n");
    assertThat(Cli.run("put", "k", "v", "--write-buffer", "big").err())
        .contains("'--write-buffer': writeBufferBytes is big; allowed: 4KiB to 1GiB")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lod --db x|no such command: 'lod'; did you mean load? (see sifr --help)",
        "load --on-eror=skip|Unknown option: '--on-eror=skip'; did you mean --on-error?",
        "export --fromat csv|Unknown option: '--fromat'; did you mean --format?",
        "get k --vrebose|Unknown option: '--vrebose'; did you mean --verbose?",
        "demo-writre|no such command: 'demo-writre' (see sifr --help)"
      })
  void whatIsMisspeltGetsASuggestion(String commandLine, String message) {
    Cli.Result result = Cli.run(commandLine.split(" ", -1));

    assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err()).startsWith("sifr: " + message).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"get k", "delete k", "scan", "export", "stats", "forest", "compact", "check"})
  void commandsThatReadMakeNoStore(String command) {
    Path missing = temporary.resolve("missing");
    String[] words = command.split(" ", -1);
    String[] rest = Arrays.copyOfRange(words, 1, words.length);

    Cli.Result result = Cli.run(missing, words[0], rest);

    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).startsWith("sifr: ").contains(missing.toString()).hasLineCount(1);
    assertThat(result.out()).isEmpty();
    assertThat(missing).doesNotExist();
    // A directory of something else is no store either.
    assertThat(Cli.run(temporary, words[0], rest).exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(temporary).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"put k v", "get k", "scan", "load", "check", "databases", "demo"})
  void aFileIsNoStore(String command) throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "data");
    String[] words = command.split(" ", -1);

    Cli.Result result = Cli.run(file, words[0], Arrays.copyOfRange(words, 1, words.length));

    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).contains("not a directory", file.toString()).hasLineCount(1);
    assertThat(file).hasContent("data");
  }

  @Test
  void helpIsACommandToo() {
    assertThat(Cli.run("help").out()).isEqualTo(Cli.run("--help").out());
    assertThat(Cli.run("help", "load").out()).isEqualTo(Cli.run("load", "--help").out());
    assertThat(Cli.run("help", "nothing").exitCode()).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void aStoreThatIsOpenIsNamed() {
    Path directory = temporary.resolve("store");
    try (Store store = Store.open(directory)) {
      Cli.Result put = Cli.run(directory, "put", "k", "v");

      assertThat(put.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
      assertThat(put.err()).contains("already open").hasLineCount(1);
      assertThat(store.database().get(new byte[0])).isNull();
    }
  }

  @Test
  void theStackTraceIsShownOnlyOnRequest() {
    Cli.Result get = Cli.run(temporary.resolve("missing"), "get", "k", "--verbose");

    assertThat(get.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(get.err().lines().count()).isGreaterThan(3);
    assertThat(get.err()).contains("\tat io.sifr");
  }

  @Test
  void completionIsGenerated() {
    assertThat(Cli.run("generate-completion").out())
        .contains("complete -F", "--keys-only", "--compaction");
  }
}
