package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The directory as argument and as option. */
class DirectoryArgumentTest {
  @TempDir private Path temporary;
  private Path store = Path.of("");

  @BeforeEach
  void makeStore() {
    store = temporary.resolve("fruit");
    assertThat(Cli.run(store, "put", "apple", "red").exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"stats", "forest", "check", "scan", "count", "changes", "compact", "databases"})
  void commandsWithoutOtherArgumentsTakeIt(String command) {
    // So that compact, too, has nothing to do.
    assertThat(Cli.run("compact", store.toString()).exitCode()).isZero();

    Cli.Result byOption = Cli.run(store, command);
    Cli.Result byArgument = Cli.run(command, store.toString());

    assertThat(byArgument.exitCode()).isEqualTo(byOption.exitCode());
    assertThat(byArgument.err()).isEqualTo(byOption.err());
    if (!command.equals("stats")) { // which has latencies
      assertThat(byArgument.out()).isEqualTo(byOption.out());
    }

    Cli.Result twice = Cli.run(store, command, store.toString());
    assertThat(twice.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(twice.err()).contains("given twice", store.toString()).hasLineCount(1);

    Cli.Result none = Cli.run(command);
    assertThat(none.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(none.err()).contains("Missing required option: '--db=DIR'").hasLineCount(1);
  }

  @Test
  void soDoesTheDemonstration() {
    Path demo = temporary.resolve("demo");

    assertThat(Cli.run(demo, "demo", demo.toString()).err()).contains("given twice");
    assertThat(Cli.run("demo", store.toString()).err()).contains(store + " is not empty");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get STORE",
        "get STORE apple",
        "put STORE apple",
        "put STORE apple red",
        "merge STORE apple",
        "merge STORE apple 1",
        "delete STORE",
        "delete STORE apple",
        "load STORE",
        "load STORE table.tsv",
        "export STORE",
        "databases create STORE",
        "databases create STORE sold",
        "databases STORE create sold",
        "databases drop STORE sold",
        "databases drop-index STORE people by-name"
      })
  void elsewhereTheOptionIsSuggested(String line) {
    Cli.Result result = run(line);

    assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err()).contains("; did you mean --db " + store + "?").hasLineCount(1);
    assertThat(result.out()).isEmpty();
    assertThat(run("get --db STORE apple").out()).isEqualTo("red\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"get apple", "put apple red", "get --db STORE apple STORE", "export t"})
  void butOnlyForAStoreAndIfItIsMissing(String line) {
    Cli.Result result = run(line);

    assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err()).doesNotContain("did you mean").hasLineCount(1);
  }

  @Test
  void anOptionBeforeTheCommandIsToldToGoAfterIt() {
    assertThat(run("databases --db STORE create sold").err())
        .contains("Missing required option: '--db=DIR'", "; it goes after 'create'");
  }

  @Test
  void aStoreIsNoCommand() {
    assertThat(run("STORE").err())
        .contains("no such command: ", "; did you mean sifr stats " + store + "?")
        .hasLineCount(1);
  }

  @Test
  void argumentsOfCopiesAreNamed() {
    assertThat(run("checkpoint --db STORE copy").err())
        .contains("; its arguments are STORE TARGET (see");
    assertThat(run("restore --db=STORE backup there").err())
        .contains("Unknown option: '--db=", "; its arguments are BACKUP TARGET");
  }

  @Test
  void aMisspeltCommandIsNotTakenForADirectory() {
    Cli.Result creat = Cli.run("databases", "creat");

    assertThat(creat.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(creat.err())
        .contains("neither a command nor a directory: 'creat'; did you mean create?")
        .hasLineCount(1);
    assertThat(Cli.run("databases", "elsewhere").exitCode()).isEqualTo(ExitCodes.UNUSABLE);
  }

  private Cli.Result run(String line) {
    List<String> words = new ArrayList<>(Arrays.asList(line.split(" ", -1)));
    words.replaceAll(word -> word.replace("STORE", store.toString()));
    return Cli.run(words.toArray(String[]::new));
  }
}
