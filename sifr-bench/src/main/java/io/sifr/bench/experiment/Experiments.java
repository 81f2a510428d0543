package io.sifr.bench.experiment;

import java.util.List;
import java.util.function.Consumer;
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
          new JobQueue(),
          new AscendingStreams(),
          new Overwrites(),
          new MixedDay(),
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
   * @param finished receives what was found so far whenever an experiment has been run
   * @throws IllegalArgumentException when there is none of that name; the message lists the names
   */
  public static Results run(String name, Laboratory laboratory, Consumer<Results> finished) {
    List<Experiment> chosen = chosen(name);
    Results results = new Results(laboratory.scale());
    for (Experiment experiment : chosen) {
      laboratory.begin(experiment);
      results.put(experiment, experiment.run(laboratory));
      finished.accept(results);
    }
    if (laboratory.rounds().repeat()) {
      for (Experiment experiment : chosen) {
        if (laboratory.rounds().isNeededBy(experiment.name())) {
          results.put(experiment, experiment.run(laboratory)); // finds all rounds now
        }
      }
    }
    laboratory.rounds().spread().ifPresent(results::note);
    return results;
  }

  private static List<Experiment> chosen(String name) {
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
    return chosen;
  }
}
