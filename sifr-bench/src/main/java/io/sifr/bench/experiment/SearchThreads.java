package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;

/** Parallel search by number of threads. */
final class SearchThreads implements Experiment {
  @Override
  public String name() {
    return "search-threads";
  }

  @Override
  public String title() {
    return "FC and PA by number of search threads (TPDS Figs. 6 and 14)";
  }

  @Override
  public List<Block> run(Laboratory laboratory) {
    return new Findings()
        .paper(
            "with 16 threads FC reads 2.1 times as fast as a serial search and PA as fast as it;"
                + " more threads do not help. With filters the schemes hardly differ.")
        .missing("All of it: Sifr searches its trees one after the other yet.")
        .blocks();
  }
}
