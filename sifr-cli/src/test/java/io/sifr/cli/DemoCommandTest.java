package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.cli.terminal.TerminalTraits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  @TempDir private Path temporary;

  @Test
  void theDemoVerifiesEverythingAndKeepsAStoreItWasGiven() {
    Path store = temporary.resolve("store");

    Cli.Result demo =
        Cli.run(store, "demo", "--entries=5000", "--write-buffer=64KiB", "--split-unit=32KiB");

    assertThat(demo.exitCode()).describedAs(demo.toString()).isZero();
    assertThat(demo.out())
        .contains(
            "every answer verified",
            "load",
            "read, present",
            "killed after",
            "nothing wrong",
            "default: ")
        .doesNotContain("\u001b", "\r");
    assertThat(demo.err()).isEmpty();
    assertThat(Cli.run(store, "check").exitCode()).isZero();
    // 5000 loaded, 500 deleted, and at least the 1000 acknowledged by the process that was killed.
    assertThat(Cli.run(store, "scan", "--keys-only").out().lines().count())
        .isGreaterThanOrEqualTo(5500);
  }

  @Test
  void everyLineFitsATerminalOf80Columns() {
    Cli cli = new Cli(new byte[0], new TerminalTraits(true, true, 80, false));

    Cli.Result demo = cli.execute("demo", "--entries=1000", "--write-buffer=64KiB");

    assertThat(demo.exitCode()).describedAs(demo.toString()).isZero();
    assertThat(demo.out().lines())
        .hasSizeGreaterThan(15)
        .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    List<String> drawn =
        Pattern.compile("[\r\n]")
            .splitAsStream(demo.err().replace("\u001b[K", ""))
            .filter(line -> !line.isEmpty())
            .toList();
    assertThat(drawn).anyMatch(line -> line.startsWith("read acknowledged"));
    assertThat(drawn)
        .allSatisfy(line -> assertThat(line.length()).isLessThan(80))
        .filteredOn(line -> line.contains("%"))
        .hasSizeGreaterThan(8)
        // The bars begin and end in the same columns.
        .allSatisfy(line -> assertThat(line.substring(18)).matches(" [█░]{24} [ 0-9]{3}%  .*"));
  }

  @Test
  void programsGetJson() {
    Cli.Result demo =
        Cli.run("demo", "--entries=1000", "--order=streams:3", "--write-buffer=64KiB", "--json");

    assertThat(demo.exitCode()).describedAs(demo.toString()).isZero();
    assertThat(demo.out())
        .hasLineCount(1)
        .contains("\"verified\":true", "\"p999Micros\":", "\"acknowledged\":", "\"findings\":0");
  }

  @Test
  void aDirectoryInUseIsLeftAlone() throws IOException {
    Path file = Files.writeString(temporary.resolve("precious"), "data");

    Cli.Result demo = Cli.run(temporary, "demo", "--entries=1000");

    assertThat(demo.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(demo.err()).contains("is not empty").hasLineCount(1);
    assertThat(file).hasContent("data");
  }

  @Test
  void nonsenseIsAUsageError() {
    assertThat(Cli.run("demo", "--entries=10").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("demo", "--order=outliers:0.1").err()).contains("may use a key twice");
  }
}
