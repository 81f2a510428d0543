package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;

/** Reproduces a table or figure of a paper. */
interface Experiment {
  /** Its name on the command line. */
  String name();

  /** What it shows, and where in the papers. */
  String title();

  /** Runs it. What cannot be measured becomes a {@link Block.Missing}. */
  List<Block> run(Laboratory laboratory);
}
