package io.sifr.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The parameter for the directory that a command works on. */
final class DirectoryMixin {
  @Option(
      names = "--db",
      paramLabel = "DIR",
      defaultValue = "${env:SIFR_DB}",
      description = "Directory of the store. Default: the environment variable SIFR_DB.")
  private @Nullable Path directory;

  /** The directory. Not a required option of picocli, because {@code databases} has subcommands. */
  Path directory() {
    Path chosen = directory;
    if (chosen == null) {
      throw new CommandFailure(
          ExitCodes.USAGE,
          "Missing required option: '--db=DIR'; the environment variable SIFR_DB can replace it");
    } else if (Files.exists(chosen) && !Files.isDirectory(chosen)) {
      throw new CommandFailure(ExitCodes.UNUSABLE, chosen + " is not a directory");
    }
    return chosen;
  }
}
