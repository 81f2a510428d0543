package io.sifr.cli;

import io.sifr.Backups;
import io.sifr.cli.terminal.ProgressBar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr restore}. */
@Command(
    name = "restore",
    footer = {
      "  sifr restore fruit-backup fruit-again",
      "  sifr restore --point 3 fruit-backup fruit-again"
    },
    description = {
      "Makes a store from a point of a backup.",
      "All files are verified.",
      "If it is interrupted, repeat it."
    })
final class RestoreCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final JsonMixin json = new JsonMixin();

  @Parameters(index = "0", paramLabel = "BACKUP", description = "Directory of the backup.")
  private Path backup = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Directory for the store: one that does not exist, or an empty one.")
  private Path target = Path.of("");

  @Option(
      names = "--point",
      paramLabel = "N",
      description = "Number of the point. Default: the last one.")
  private @Nullable Long point;

  RestoreCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    Backups.Point restored = restore();
    if (json.isJson()) {
      JsonMixin.writeObject(
          context.console(), fields -> BackupCommand.writeFields(fields, restored));
    } else {
      context.console().println("restored " + BackupCommand.line(restored));
    }
    return ExitCodes.OK;
  }

  private Backups.Point restore() {
    try (ProgressBar bar = ProgressBar.ofBytes(context.console(), "restore", ProgressBar.UNKNOWN)) {
      Backups backups = Backups.in(backup);
      Long chosen = point;
      long number = chosen == null ? last(backups) : chosen;
      Backups.Point restored = backups.point(number);
      backups.restore(number, target, bar::update);
      return restored;
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
  }

  private long last(Backups backups) {
    List<Long> numbers = backups.numbers();
    if (numbers.isEmpty()) {
      throw new CommandFailure(ExitCodes.UNUSABLE, backup + " holds no point");
    }
    return numbers.get(numbers.size() - 1);
  }
}
