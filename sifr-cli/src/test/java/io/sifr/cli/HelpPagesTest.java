package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class HelpPagesTest {
  private static final int MOST_LINES = 30;
  private static final int MOST_LINES_OF_THE_LIST = 40;
  private static final int COLUMNS = 80;
  private static final String PROGRAM = SifrCommand.NAME + " ";

  /** The words of each command and subcommand that users see. */
  static Stream<List<String>> commands() {
    List<List<String>> found = new ArrayList<>();
    collect(program(), List.of(), found);
    return found.stream();
  }

  private static CommandLine program() {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new ByteArrayOutputStream(),
            new ByteArrayOutputStream(),
            TerminalTraits.NONE);
    return new SifrCommand(new CliContext(console, new Cleanup())).commandLine();
  }

  private static void collect(CommandLine line, List<String> words, List<List<String>> found) {
    line.getSubcommands()
        .forEach(
            (name, subcommand) -> {
              if (!subcommand.getCommandSpec().usageMessage().hidden()) {
                List<String> inner = new ArrayList<>(words);
                inner.add(name);
                found.add(inner);
                collect(subcommand, inner, found);
              }
            });
  }

  private static Cli.Result run(List<String> words, String... more) {
    List<String> all = new ArrayList<>(words);
    all.addAll(Arrays.asList(more));
    return Cli.run(all.toArray(String[]::new));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpFitsAScreen(List<String> command) {
    Cli.Result help = run(command, "--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.err()).isEmpty();
    assertThat(help.out()).endsWith("\n").contains("--help-all shows all of it");
    assertThat(help.out().lines().toList())
        .hasSizeLessThanOrEqualTo(MOST_LINES)
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(COLUMNS));
    assertThat(run(command, "-h").out()).isEqualTo(help.out());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everythingIsShownOnRequest(List<String> command) {
    String all = run(command, "--help-all").out();
    CommandSpec spec = at(command);

    assertThat(all).contains("Exit codes:", "141");
    spec.options().stream()
        .filter(option -> !option.hidden())
        .forEach(option -> assertThat(all).contains(option.longestName()));
    assertThat(all.lines())
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(COLUMNS));
  }

  private static CommandSpec at(List<String> command) {
    CommandLine line = program();
    for (String word : command) {
      line = Objects.requireNonNull(line.getSubcommands().get(word));
    }
    return line.getCommandSpec();
  }

  /** Two examples each, which this program understands. */
  @ParameterizedTest
  @MethodSource("commands")
  void examplesAreCommandLines(List<String> command) {
    if (command.contains("help") || command.contains("generate-completion")) {
      return; // picocli's
    }
    String help = run(command, "--help").out();
    List<String> examples =
        help.substring(help.indexOf("Examples:")).lines().skip(1).map(String::strip).toList();

    assertThat(examples).hasSize(2);
    for (String example : examples) {
      assertThat(example).startsWith(PROGRAM);
      String words = example.substring(PROGRAM.length()).replaceAll(" > .*", "");
      assertThatCode(() -> program().parseArgs(words.split(" ", -1)))
          .as(example)
          .doesNotThrowAnyException();
    }
    assertThat(examples)
        .as("two examples of its own, in the footer of its @Command")
        .anyMatch(example -> example.startsWith(PROGRAM + command.get(0)));
  }

  @Test
  void settingsOfTheStoreAreShownOnRequestOnly() {
    String brief = Cli.run("get", "--help").out();
    String all = Cli.run("get", "--help-all").out();

    for (Setting<?> setting : StoreOptions.settings()) {
      assertThat(brief).doesNotContain(SettingsMixin.option(setting) + "=");
      assertThat(all).contains(SettingsMixin.option(setting) + "=");
    }
    assertThat(all).contains("sifr settings");
  }

  @Test
  void withoutACommandTheyAreListed() {
    Cli.Result list = Cli.run();

    assertThat(list.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(list.out()).isEmpty();
    assertThat(list.err()).isEqualTo(Cli.run("--help").out());
    assertThat(list.err().lines().toList())
        .hasSizeLessThanOrEqualTo(MOST_LINES_OF_THE_LIST)
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(COLUMNS));
    // One line each.
    commands()
        .filter(command -> command.size() == 1)
        .forEach(
            command ->
                assertThat(list.err().lines().map(String::strip))
                    .filteredOn(line -> line.startsWith(command.get(0) + " "))
                    .hasSize(1));
    List<String> listed = list.err().lines().dropWhile(line -> !line.equals("Entries:")).toList();
    assertThat(listed).noneMatch(line -> line.startsWith("     ")); // a second line of a command
    assertThat(listed).noneMatch(line -> line.endsWith("..")).anyMatch(line -> line.endsWith("."));
  }
}
