package io.sifr.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The directory that a command without other arguments works on: its argument, or an option. */
final class DirectoryMixin extends DirectoryOptionMixin {
  /** What help calls the argument. */
  static final String LABEL = "DIR";

  @Parameters(
      arity = "0..1",
      paramLabel = LABEL,
      description = "Directory of the store, as with --db.")
  private @Nullable Path argument;

  /** The message for a directory that is given in both ways. */
  static String twice(Path argument) {
    return "the directory is given twice: as argument, " + argument + ", and with --db";
  }

  /** Whether it is an argument. */
  boolean isArgument() {
    return argument != null;
  }

  @Override
  @Nullable Path chosen() {
    if (argument != null && isOptionGiven()) {
      throw new CommandFailure(ExitCodes.USAGE, twice(argument));
    }
    return argument == null ? super.chosen() : argument;
  }
}
