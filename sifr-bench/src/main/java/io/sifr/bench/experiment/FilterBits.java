package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;

/** Filters by bits a key. */
final class FilterBits implements Experiment {
  @Override
  public String name() {
    return "filter-bits";
  }

  @Override
  public String title() {
    return "latency and memory by filter bits a key (TPDS Fig. 12)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    return new Findings()
        .paper(
            "10 bits a key make reads 3.7 times as fast and take 106 MB for 10 GB of data; more"
                + " bits help little.")
        .missing("All of it: runs know filters of 10 bits a key and none, nothing between.")
        .blocks();
  }
}
