package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.cli.terminal.TerminalTraits;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sifr load --bulk}. */
class BulkLoadCommandTest {
  @TempDir private Path temporary;
  private Path store;

  @BeforeEach
  void chooseStore() {
    store = temporary.resolve("store");
  }

  private Cli.Result load(String text, String... options) {
    return new Cli(text.getBytes(UTF_8), TerminalTraits.NONE).execute(store, "load", options);
  }

  @Test
  void theLastEntryOfEachKeyIsLoaded() {
    Cli.Result load = load("b\t2\na\t1\nb\t3\n", "--bulk");

    assertThat(load.out()).startsWith("loaded 3 entries, 6 B, in ");
    assertThat(Cli.run(store, "export").out()).isEqualTo("a\t1\nb\t3\n");
    assertThat(Cli.run(store, "check").exitCode()).isZero();
  }

  @Test
  void theLinesBeforeABrokenOneAreLoaded() {
    Cli.Result load = load("b\t2\nno tab here\nc\t3\n", "--bulk");

    assertThat(load.exitCode()).isEqualTo(ExitCodes.BAD_INPUT);
    assertThat(Cli.run(store, "export").out()).isEqualTo("b\t2\n");
    assertThat(load("b\t4\nno tab here\nc\t3\n", "--bulk", "--on-error", "skip").exitCode())
        .isZero();
    assertThat(Cli.run(store, "export").out()).isEqualTo("b\t4\nc\t3\n");
  }

  @Test
  void generatedEntriesAreTheSameAsWithPuts() {
    Path other = temporary.resolve("other");
    String[] generated = {"--generate", "random", "--entries", "3000", "--json"};

    Cli.Result puts = Cli.run(other, "load", generated);
    Cli.Result bulk =
        Cli.run(store, "load", "--generate", "random", "--entries", "3000", "--json", "--bulk");

    assertThat(puts.exitCode()).isZero();
    assertThat(bulk.out()).contains("\"loadedEntries\":3000");
    assertThat(Cli.run(store, "export", "--escaped").bytes())
        .isEqualTo(Cli.run(other, "export", "--escaped").bytes());
  }
}
