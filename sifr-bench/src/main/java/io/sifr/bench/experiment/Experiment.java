package io.sifr.bench.experiment;

/** Reproduces a table or figure of a paper. */
interface Experiment {
  /** Its name on the command line. */
  String name();

  /** Its title, with the section or figure of the paper. */
  String title();

  /**
   * Runs it. A figure that cannot be measured becomes a {@link io.sifr.bench.report.Block.Missing}.
   */
  Findings run(Laboratory laboratory);
}
