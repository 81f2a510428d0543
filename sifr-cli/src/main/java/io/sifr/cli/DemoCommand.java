package io.sifr.cli;

import io.sifr.cli.demo.Demo;
import io.sifr.cli.demo.DemoReport;
import io.sifr.cli.demo.Workload;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sifr demo}. */
@Command(
    name = "demo",
    footer = {"  sifr demo", "  sifr demo --entries 5000000 --order ascending"},
    description = {
      "Loads, reads, scans, kills a writer, and checks.",
      "Reopens the store after the kill and checks it, verifying every answer; then shows how fast it"
          + " was and what the store looks like."
    })
final class DemoCommand implements Callable<Integer> {
  private static final long LEAST_ENTRIES = 1000;
  private static final String WRITE_BUFFER = "4MiB";

  private final CliContext context;

  @Mixin private final JsonMixin json = new JsonMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin("writeBufferBytes", WRITE_BUFFER);

  @Parameters(arity = "0..1", paramLabel = "DIR", description = "The same as --db.")
  private @Nullable Path argument;

  @Option(
      names = "--db",
      paramLabel = "DIR",
      description = {
        "Keep the store there. Default: it is removed.",
        "The directory must be empty or not exist. Default: a temporary one."
      })
  private @Nullable Path directory;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "How many entries to load. Default: ${DEFAULT-VALUE}.")
  private long entries;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      converter = WorkloadConverter.class,
      defaultValue = "random",
      description = "random, ascending or streams:N. Default: ${DEFAULT-VALUE}.")
  private Workload workload = Workload.random();

  @Option(names = "--ascii", description = "Draw with ASCII characters only.")
  private boolean ascii;

  DemoCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (entries < LEAST_ENTRIES) {
      throw new CommandFailure(
          ExitCodes.USAGE, "--entries is " + entries + "; allowed: " + LEAST_ENTRIES + " and more");
    }
    if (!workload.isDistinct()) {
      throw new CommandFailure(
          ExitCodes.USAGE, "--order is " + workload.name() + ", which may use a key twice");
    }
    if (argument != null && directory != null) {
      throw new CommandFailure(ExitCodes.USAGE, DirectoryMixin.twice(argument));
    }
    Path chosen = argument == null ? directory : argument;
    DemoReport report = chosen == null ? runInTemporary() : run(checkedEmpty(chosen));
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), report::writeFields);
    } else {
      report.writeText(context.console(), ascii);
    }
    return ExitCodes.OK;
  }

  private DemoReport run(Path store) throws IOException {
    return new Demo(
            context.console(),
            context.cleanup(),
            store,
            settings.options(StoreOptions.builder()),
            workload,
            entries)
        .run(first -> DemoWriterCommand.commandLine(store, settings, workload, first));
  }

  private DemoReport runInTemporary() throws IOException {
    Path temporary = Files.createTempDirectory("sifr-demo-");
    Runnable removal = () -> removeTree(temporary);
    context.cleanup().add(removal);
    try {
      return run(temporary);
    } finally {
      removal.run();
      context.cleanup().remove(removal);
    }
  }

  private static Path checkedEmpty(Path chosen) throws IOException {
    if (Files.exists(chosen)) {
      try (Stream<Path> files = Files.list(chosen)) {
        if (files.findAny().isPresent()) {
          throw new CommandFailure(
              ExitCodes.UNUSABLE, chosen + " is not empty; the demo creates a store of its own");
        }
      }
    }
    return chosen;
  }

  private static void removeTree(Path root) {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(root)) {
      List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + root + ": " + e, e);
    }
  }
}
