package io.sifr.bench.experiment;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Laboratory.Attempt;
import io.sifr.bench.measure.Sample;
import io.sifr.bench.report.Block;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of processes with several stores, or forms of one, by their names. A process
 * runs when its first figure is wanted. Not thread-safe.
 */
final class Runs {
  /** A figure of a result, if it has that. */
  @FunctionalInterface
  interface Figure {
    @Nullable Number of(RunResult result);
  }

  /**
   * A column of a table of runs.
   *
   * @param of the workload whose result has the figure
   */
  record Column(String title, Workload of, Figure figure) {}

  private final Laboratory laboratory;
  private final Findings findings;
  private final Map<String, Function<Workload, Attempt>> attempts = new LinkedHashMap<>();

  /** None yet; what cannot be run is reported as missing. */
  Runs(Laboratory laboratory, Findings findings) {
    this.laboratory = laboratory;
    this.findings = findings;
  }

  /** Each of the stores with a spec that follows from it. */
  Runs(
      Laboratory laboratory,
      Findings findings,
      List<StoreKind> stores,
      Function<StoreKind, RunSpec> specs) {
    this(laboratory, findings);
    stores.forEach(store -> add(store.label(), specs.apply(store)));
  }

  /** The runs that several experiments share. */
  static Runs base(Laboratory laboratory, Findings findings, List<StoreKind> stores) {
    return new Runs(laboratory, findings, stores, store -> baseSpec(laboratory, store));
  }

  /** A random load, then reads and overwrites. */
  static RunSpec baseSpec(Laboratory laboratory, StoreKind store) {
    return laboratory.spec(
        store,
        Workload.FILLRANDOM,
        Workload.READRANDOM,
        Workload.SEEKRANDOM,
        Workload.SCAN,
        Workload.READMISSING,
        Workload.OVERWRITE);
  }

  /** The same of the stores of most experiments. */
  static Runs base(Laboratory laboratory, Findings findings) {
    return base(laboratory, findings, Laboratory.LSM_STORES);
  }

  /** Adds a run. */
  Runs add(String name, RunSpec spec) {
    attempts.put(name, workload -> laboratory.attempt(spec, workload));
    return this;
  }

  /** Adds a run on a kept fill, within a memory limit if there is one. */
  Runs addOnKeptFill(String name, RunSpec spec, OptionalLong memoryBytes) {
    attempts.put(name, workload -> laboratory.attemptOnKeptFill(spec, workload, memoryBytes));
    return this;
  }

  List<String> names() {
    return List.copyOf(attempts.keySet());
  }

  /** An empty grid with a column for each run. */
  Grid grid() {
    return new Grid("", names());
  }

  /** The result of a workload in a run; if there is none, reports why. */
  Optional<RunResult> result(String name, Workload workload) {
    Function<Workload, Attempt> attempt = attempts.get(name);
    return attempt == null ? Optional.empty() : findings.result(name, attempt.apply(workload));
  }

  /** A figure of each run, by its name; without those that have none, of which it reports why. */
  Map<String, Double> figures(Workload workload, Figure figure) {
    Grid grid = new Grid("", List.of());
    names()
        .forEach(name -> result(name, workload).ifPresent(r -> grid.put("", name, figure.of(r))));
    return grid.row("");
  }

  /** A table of the runs, one a row. */
  Grid table(String corner, List<Column> columns) {
    Grid table = new Grid(corner, columns.stream().map(Column::title).toList());
    names().forEach(name -> table.row(name, Map.of()));
    columns.forEach(column -> table.column(column.title(), figures(column.of(), column.figure())));
    return table;
  }

  /** The same turned: one run a column. */
  Grid rows(Column... rows) {
    return table("", List.of(rows)).turned();
  }

  /** A line of each run that has a result. */
  List<Block.Series> lines(Workload workload, Function<RunResult, Block.Series> line) {
    return names().stream().flatMap(name -> result(name, workload).stream()).map(line).toList();
  }

  /** A figure of each load over the user bytes stored so far. */
  List<Block.Series> byUserBytes(Workload load, ToDoubleFunction<Sample> figure) {
    return lines(
        load,
        result -> {
          double bytesAnOperation = (double) result.userBytes() / result.operations();
          List<Double> x = new ArrayList<>();
          List<Double> y = new ArrayList<>();
          for (Sample sample : result.samples()) {
            x.add(Figures.inMib((long) (sample.operations() * bytesAnOperation)));
            y.add(figure.applyAsDouble(sample));
          }
          return new Block.Series(result.store(), x, y);
        });
  }
}
