package io.sifr.bench;

import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.driver.WarmUp;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.process.ChildProcess;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.report.MachineLoad;
import io.sifr.bench.store.StoreKind;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.SizeConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr-bench run}: workloads on one store. */
@Command(
    name = "run",
    description = {
      "Runs workloads on one store, in this process.",
      "Every answer of the store is checked; a wrong one ends the run with exit code 3."
    })
final class RunCommand implements Callable<Integer> {
  private final Console console;
  private final Cleanup cleanup;
  private final BooleanSupplier verbose;

  /** Of before the measurements. */
  private final MachineLoad load = MachineLoad.begin();

  @Mixin private final TermsMixin terms = new TermsMixin();

  @Option(
      names = "--store",
      required = true,
      paramLabel = "NAME",
      description =
          "sifr, sifr-leveled, sifr-tiered, sifr-lazy, sifr-guarded, rocksdb, rocksdb-universal,"
              + " leveldb, mvstore, lmdb or xodus.")
  private String store = "";

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "Run in a process of its own with this memory limit, page cache included. Needs"
              + " permission to create a control group.")
  private @Nullable Long memoryBytes;

  @Option(
      names = "--keep-fills",
      paramLabel = "DIR",
      description =
          "Keep the store after a fillrandom in this directory; copy it from there if it was kept"
              + " by an earlier run; such a fillrandom has no result.")
  private @Nullable Path keptFills;

  @Option(names = "--json", description = "Write one JSON object a line for each workload.")
  private boolean json;

  @Option(
      names = "--samples",
      description = "With --json: also write operations, space and memory over time.")
  private boolean samples;

  RunCommand(Console console, Cleanup cleanup, BooleanSupplier verbose) {
    this.console = console;
    this.cleanup = cleanup;
    this.verbose = verbose;
  }

  @Override
  public Integer call() throws IOException {
    RunSpec spec = spec();
    return memoryBytes == null ? run(spec) : runLimited(spec, memoryBytes);
  }

  RunSpec spec() {
    return terms
        .spec(StoreKind.of(store), OptionalInt.empty())
        .withKeptFills(Optional.ofNullable(keptFills));
  }

  private int run(RunSpec spec) throws IOException {
    Path directory =
        terms.directory().resolve("sifr-bench-" + store + "-" + ProcessHandle.current().pid());
    // For a store that is not closed in time, because its background work takes minutes.
    Runnable deletion = () -> DiskSpace.delete(directory);
    cleanup.add(deletion);
    try {
      StoreRun run = new StoreRun(spec, directory, new BarProgress(console, store));
      List<RunResult> results = cleanup.during(run::stop, () -> results(run));
      if (!json) {
        new ResultTable(results).print(console);
        WarmUp.warning(results).ifPresent(console.err()::println);
        load.inWords().ifPresent(console.err()::println);
      }
      return ExitCodes.OK;
    } finally {
      cleanup.remove(deletion);
    }
  }

  private List<RunResult> results(StoreRun run) {
    List<RunResult> results = new ArrayList<>();
    run.run(
        result -> {
          results.add(result);
          if (json) {
            print(ResultJson.write(samples ? result : result.withoutSamples()));
          }
        });
    return results;
  }

  private void print(String line) {
    try {
      console.println(line);
      console.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the same in a process that has the memory limit. */
  private int runLimited(RunSpec spec, long bytes) {
    List<String> arguments = new ArrayList<>(spec.arguments());
    if (json) {
      arguments.add("--json");
    }
    if (samples) {
      arguments.add("--samples");
    }
    if (verbose.getAsBoolean()) {
      arguments.add("--verbose");
    }
    return new ChildProcess(SifrBench.class, cleanup)
        .run(arguments, terms.directory(), OptionalLong.of(bytes), this::print);
  }
}
