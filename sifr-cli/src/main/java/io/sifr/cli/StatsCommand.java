package io.sifr.cli;

import io.sifr.cli.report.StatisticsReport;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sifr stats}. */
@Command(
    name = "stats",
    footer = {"  sifr stats fruit", "  sifr stats fruit --json"},
    description = "Shows what a store contains and what it has written.")
final class StatsCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final DatabaseMixin database = new DatabaseMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  StatsCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    try (OpenStore store = OpenStore.openToRead(context, directory.directory())) {
      StatisticsReport report =
          new StatisticsReport(store.store().statistics(), database.of(store).forest());
      if (json.isJson()) {
        JsonMixin.writeObject(context.console(), report::writeFields);
      } else {
        report.writeText(context.console());
      }
    }
    return ExitCodes.OK;
  }
}
