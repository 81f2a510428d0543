package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Report.Section;
import java.util.List;
import java.util.stream.Collectors;

/** All experiments. */
public final class Experiments {
  /** The name that means all of them. */
  public static final String ALL = "all";

  private static final List<Experiment> EXPERIMENTS =
      List.of(
          new GrowthFactor(),
          new Space(),
          new EarlyCleaning(),
          new SmallDisk(),
          new Writing(),
          new WriteMemory(),
          new FileSizes(),
          new CandidateTrees(),
          new MemoryProvision(),
          new FilterBits(),
          new StageOfKey(),
          new SearchThreads(),
          new ParallelReads(),
          new Ranges(),
          new Ycsb(),
          new TwoWaySearch(),
          new Policies(),
          new StoreSize(),
          new ManyDatabases());

  private Experiments() {}

  /** Their names. */
  public static List<String> names() {
    return EXPERIMENTS.stream().map(Experiment::name).toList();
  }

  /**
   * Runs one experiment, or {@link #ALL}. Returns a section per experiment.
   *
   * @throws IllegalArgumentException when there is none of that name; the message lists the names
   */
  public static List<Section> run(String name, Laboratory laboratory) {
    List<Experiment> chosen =
        EXPERIMENTS.stream()
            .filter(experiment -> name.equals(ALL) || name.equals(experiment.name()))
            .toList();
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no experiment named "
              + name
              + "; allowed: "
              + names().stream().collect(Collectors.joining(", "))
              + ", "
              + ALL);
    }
    return chosen.stream().map(experiment -> section(experiment, laboratory)).toList();
  }

  private static Section section(Experiment experiment, Laboratory laboratory) {
    laboratory.tell(experiment.name());
    List<Block> blocks = experiment.run(laboratory);
    return new Section(experiment.name() + ": " + experiment.title(), blocks);
  }
}
