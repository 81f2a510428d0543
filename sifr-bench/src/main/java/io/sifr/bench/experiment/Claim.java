package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import java.util.List;

/**
 * A statement of a paper, and what a run says about it.
 *
 * @param source the paper in short, and where it shows that
 * @param statement what it states
 * @param measured the run's figures
 * @param verdict computed from these
 */
record Claim(String source, String statement, String measured, Verdict verdict) {
  /** The verdict on a statement. */
  enum Verdict {
    /** The figures agree with it. */
    HOLDS("holds"),
    /** They do not. */
    DOES_NOT("does not"),
    /** There are none, or they mean nothing. */
    CANNOT_BE_SEEN("cannot be seen here");

    private final String label;

    Verdict(String label) {
      this.label = label;
    }
  }

  /** Judges by figures. */
  static Claim of(String source, String statement, Measured measured) {
    Verdict verdict =
        measured
            .agrees()
            .map(agrees -> agrees ? Verdict.HOLDS : Verdict.DOES_NOT)
            .orElse(Verdict.CANNOT_BE_SEEN);
    return new Claim(source, statement, measured.text(), verdict);
  }

  /** The claims, one a row. */
  static Block.Table table(List<Claim> claims) {
    return new Block.Table(
        List.of("the papers", "claim", "here", "verdict"),
        claims.stream()
            .map(
                claim ->
                    List.of(claim.source, claim.statement, claim.measured, claim.verdict.label))
            .toList());
  }
}
