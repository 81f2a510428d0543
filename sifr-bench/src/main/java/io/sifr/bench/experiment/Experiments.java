package io.sifr.bench.experiment;

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
          new LevelTimes(),
          new Policies(),
          new PolicyBytes(),
          new Cs561(),
          new RangeDelete(),
          new Stalls(),
          new ReadWhileWriting(),
          new StoreSize(),
          new ManyDatabases());

  private Experiments() {}

  /** Their names. */
  public static List<String> names() {
    return EXPERIMENTS.stream().map(Experiment::name).toList();
  }

  /**
   * Runs one experiment, or {@link #ALL}.
   *
   * @throws IllegalArgumentException when there is none of that name; the message lists the names
   */
  public static Results run(String name, Laboratory laboratory) {
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
    Results results = new Results(laboratory.scale());
    for (Experiment experiment : chosen) {
      laboratory.tell(experiment.name());
      Findings findings = experiment.run(laboratory);
      // Run once, it has told which runs it needs; again, it finds all rounds of them.
      results.add(experiment, laboratory.repeat() ? experiment.run(laboratory) : findings);
    }
    laboratory.spread().ifPresent(results::note);
    return results;
  }
}
