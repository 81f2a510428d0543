package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The loads of several forms of stores on a slow disk, which several experiments share; none, and a
 * report of why, where there can be no such disk. Not thread-safe.
 */
final class SlowLoads {
  /** A figure of a load, if it has that. */
  @FunctionalInterface
  interface Figure {
    @Nullable Number of(SlowLoad load);
  }

  private final List<SlowLoad> loads;

  SlowLoads(Laboratory laboratory, Findings findings, List<Form> forms) {
    findings.fact("megabytes", SlowDisk.MEGABYTES_PER_SECOND);
    findings.fact("container", Figures.mib(Form.containerBytes(laboratory.scale())));
    Optional<String> obstacle = SlowDisk.obstacle(laboratory);
    obstacle.ifPresent(why -> findings.missing("All of it: " + why + "."));
    this.loads =
        obstacle.isPresent() ? List.of() : forms.stream().map(laboratory::slowLoad).toList();
  }

  /** An empty grid with a column for every form there is, so that experiments share a table. */
  static Grid grid() {
    return new Grid("", Stream.of(Form.values()).map(Form::label).toList());
  }

  boolean isEmpty() {
    return loads.isEmpty();
  }

  /** A figure of each load, by the names of the forms. */
  Map<String, Double> figures(Figure figure) {
    Grid grid = grid();
    loads.forEach(load -> grid.put("", load.form().label(), figure.of(load)));
    return grid.row("");
  }

  /** The load of a form, if it is one of them. */
  Optional<SlowLoad> of(Form form) {
    return loads.stream().filter(load -> load.form() == form).findFirst();
  }

  /** A line of each load. */
  List<Block.Series> lines(Function<SlowLoad, Block.Series> line) {
    return loads.stream().map(line).toList();
  }
}
