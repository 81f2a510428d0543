package io.sifr.bench;

import io.sifr.bench.compare.Comparison;
import io.sifr.bench.compare.ComparisonReport;
import io.sifr.bench.compare.Outcome;
import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.WarmUp;
import io.sifr.bench.process.ChildProcess;
import io.sifr.bench.process.ChildRun;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.report.Report;
import io.sifr.bench.store.StoreKind;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.SizeConverter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sifr-bench compare}: the same workloads on several stores. */
@Command(
    name = "compare",
    description = {
      "Runs the same workloads on several stores, each in a JVM of its own, and writes a report.",
      "The stores take turns; ratios are those within a round. A store that cannot meet a term is"
          + " run without it, and the report says so; durability is never lowered."
    })
final class CompareCommand implements Callable<Integer> {
  /** Limits the time of a store that is a hundred times as slow as another. */
  private static final int TIME_LIMIT_SECONDS = 60;

  private final Console console;
  private final Cleanup cleanup;

  @Mixin private final TermsMixin terms = new TermsMixin();
  @Mixin private final ReportMixin report = new ReportMixin();

  @Option(
      names = "--stores",
      required = true,
      split = ",",
      paramLabel = "NAME",
      description = "Stores; ratios are relative to the first.")
  private List<String> stores = new ArrayList<>();

  @Option(
      names = "--rounds",
      defaultValue = "3",
      paramLabel = "N",
      description = "How often each store runs (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "Memory limit of each, page cache included. Needs permission to create a control group.")
  private @Nullable Long memoryBytes;

  @Option(names = "--json", description = "Write each result as one JSON object per line.")
  private boolean json;

  @Spec private @Nullable CommandSpec commandSpec;

  CompareCommand(Console console, Cleanup cleanup) {
    this.console = console;
    this.cleanup = cleanup;
  }

  @Override
  public Integer call() throws IOException {
    List<RunSpec> specs =
        stores.stream()
            .map(StoreKind::of)
            .map(store -> terms.spec(store, OptionalInt.of(TIME_LIMIT_SECONDS)))
            .toList();
    List<Outcome> outcomes =
        new Comparison(
                specs,
                rounds,
                memoryBytes == null ? OptionalLong.empty() : OptionalLong.of(memoryBytes),
                new ChildRun(new ChildProcess(SifrBench.class, cleanup), terms.directory()))
            .run(
                (store, round, run, runs) ->
                    console
                        .err()
                        .printf("[%d/%d] round %d: %s%n", run, runs, round, store.label()));
    if (json) {
      print(outcomes);
    }
    WarmUp.warning(
            outcomes.stream()
                .flatMap(outcome -> outcome.rounds().stream())
                .flatMap(List::stream)
                .toList())
        .ifPresent(console.err()::println);
    report.write(
        new Report("Stores compared", new ComparisonReport(outcomes).sections()),
        terms.directory(),
        commandSpec,
        console);
    return exitCode(outcomes);
  }

  private void print(List<Outcome> outcomes) throws IOException {
    for (Outcome outcome : outcomes) {
      for (int round = 0; round < outcome.rounds().size(); round++) {
        for (int i = 0; i < outcome.rounds().get(round).size(); i++) {
          console.println(ResultJson.write(outcome.rounds().get(round).get(i).withoutSamples()));
        }
      }
    }
  }

  /**
   * A wrong answer of any store is worse than the failure of another; leaving out a store that
   * cannot meet the terms is not a failure.
   */
  private static int exitCode(List<Outcome> outcomes) {
    return outcomes.stream()
        .flatMap(outcome -> outcome.failure().stream())
        .filter(failure -> failure.exitCode() != ExitCodes.USAGE)
        .mapToInt(
            failure ->
                failure.exitCode() == ExitCodes.WRONG_ANSWER
                    ? ExitCodes.WRONG_ANSWER
                    : ExitCodes.FAILED)
        .min()
        .orElse(ExitCodes.OK);
  }
}
