package io.sifr.bench.experiment;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** All experiments. */
public final class Experiments {
  /** The name that means all of them. */
  public static final String ALL = "all";

  /** The name of that which compares stores of all kinds. */
  public static final String STORES = "stores";

  private static final List<Experiment> EXPERIMENTS =
      List.of(
          new Experiment(STORES, Stores::run),
          new Experiment("growth-factor", GrowthFactor::run),
          new Experiment("space", RandomLoads::space),
          new Experiment("early-cleaning", EarlyCleaning::run),
          new Experiment("small-disk", SmallDisk::run),
          new Experiment("write", Writing::run),
          new Experiment("write-memory", RandomLoads::memory),
          new Experiment("file-sizes", RandomLoads::fileSizes),
          new Experiment("candidate-trees", CandidateTrees::run),
          new Experiment("memory-provision", MemoryProvision::run),
          new Experiment("filter-bits", UncachedReads::byFilterBits),
          new Experiment("stage-of-key", UncachedReads::byStage),
          new Experiment("search-threads", UncachedReads::bySearchThreads),
          new Experiment("parallel-reads", ParallelReads::run),
          new Experiment("range", Ranges::run),
          new Experiment("ycsb", Ycsb::run),
          new Experiment("two-way-search", TwoWaySearch::run),
          new Experiment("level-times", UncachedReads::byLevel),
          new Experiment("policies", Policies::run),
          new Experiment("policy-bytes", PolicyBytes::run),
          new Experiment("cs561", Cs561::run),
          new Experiment("range-delete", RangeDelete::run),
          new Experiment("queue", JobQueue::run),
          new Experiment("streams", AscendingStreams::run),
          new Experiment("overwrites", Overwrites::run),
          new Experiment("day", MixedDay::run),
          new Experiment("stalls", RandomLoads::stalls),
          new Experiment("write-stalls", WriteStalls::run),
          new Experiment("slow-bytes", SlowBytes::run),
          new Experiment("columns", Columns::run),
          new Experiment("depth", Depth::run),
          new Experiment("tail", Tail::run),
          new Experiment("lds", DirectStoring::run),
          new Experiment("hints", Hints::run),
          new Experiment("read-while-writing", ReadWhileWriting::run),
          new Experiment("store-size", StoreSize::run),
          new Experiment("many-databases", ManyDatabases::run));

  private Experiments() {}

  /** Their names. */
  public static List<String> names() {
    return EXPERIMENTS.stream().map(Experiment::name).toList();
  }

  /**
   * Runs experiments, in the order in which they are listed.
   *
   * @param names of one or several, separated by commas, or {@link #ALL}
   * @param finished receives what was found so far whenever an experiment has been run
   * @throws IllegalArgumentException when there is none of a name; the message lists the names
   */
  public static Results run(String names, Laboratory laboratory, Consumer<Results> finished) {
    List<Experiment> chosen = chosen(names);
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

  private static List<Experiment> chosen(String names) {
    if (names.equals(ALL)) {
      return EXPERIMENTS;
    }
    List<String> wanted = Splitter.on(',').splitToList(names);
    for (String name : wanted) {
      if (!names().contains(name)) {
        throw new IllegalArgumentException(
            "there is no experiment named "
                + name
                + "; allowed: "
                + names().stream().collect(Collectors.joining(", "))
                + ", "
                + ALL);
      }
    }
    return EXPERIMENTS.stream().filter(each -> wanted.contains(each.name())).toList();
  }
}
