package io.sifr.cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The option for the directory of a command whose arguments are something else. */
class DirectoryOptionMixin {
  /** The name of the option. */
  static final String NAME = "--db";

  /** Present in the directory of each store, and in no other that a person would name. */
  private static final String STORE_MARK = "CURRENT";

  @Option(
      names = NAME,
      paramLabel = "DIR",
      defaultValue = "${env:SIFR_DB}",
      description = "Directory of the store. Default: $SIFR_DB.")
  private @Nullable Path option;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  /** The directory. Not a required option of picocli, because {@code databases} has subcommands. */
  final Path directory() {
    Path chosen = chosen();
    if (chosen == null) {
      throw new CommandFailure(
          ExitCodes.USAGE,
          "Missing required option: '--db=DIR'; the environment variable SIFR_DB can replace it"
              + hint());
    } else if (Files.exists(chosen) && !Files.isDirectory(chosen)) {
      throw new CommandFailure(ExitCodes.UNUSABLE, chosen + " is not a directory");
    }
    return chosen;
  }

  /** What was given, or the default; null if there is neither. */
  @Nullable Path chosen() {
    return option;
  }

  /** Whether the option stands on the command line. */
  final boolean isOptionGiven() {
    ParseResult parsed = parsed();
    return parsed != null && parsed.hasMatchedOption(NAME);
  }

  private @Nullable ParseResult parsed() {
    return command == null ? null : command.commandLine().getParseResult();
  }

  /** What may have been meant by those who gave no directory; else empty. */
  private String hint() {
    List<String> words =
        command == null ? List.of() : command.root().commandLine().getParseResult().originalArgs();
    boolean isBeforeCommand = words.stream().anyMatch(word -> word.split("=", 2)[0].equals(NAME));
    return command != null && isBeforeCommand
        ? "; it goes after '" + command.name() + "'"
        : suggestion(words);
  }

  /** The end of a message for words among which there is the directory of a store; else empty. */
  static String suggestion(List<String> words) {
    Optional<String> store = words.stream().filter(DirectoryOptionMixin::isStore).findFirst();
    return store.map(directory -> "; did you mean " + NAME + " " + directory + "?").orElse("");
  }

  /** Whether a word names a directory that holds a store. */
  static boolean isStore(String word) {
    try {
      return !word.isEmpty() && Files.isRegularFile(Path.of(word, STORE_MARK));
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
