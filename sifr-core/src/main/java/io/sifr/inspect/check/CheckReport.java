package io.sifr.inspect.check;

import io.sifr.inspect.Finding;
import java.util.List;

/**
 * The result of a check.
 *
 * @param databases databases of the store
 * @param trees trees of all their forests
 * @param ssts SSTs of all trees
 * @param entries entries of all SSTs, tombstones and shadowed versions included
 * @param logRecords whole records in the log
 * @param bytes bytes read
 * @param findings what is wrong, empty for a sound store
 */
public record CheckReport(
    int databases,
    int trees,
    int ssts,
    long entries,
    long logRecords,
    long bytes,
    List<Finding> findings) {
  /** An immutable copy. */
  public CheckReport {
    findings = List.copyOf(findings);
  }

  /** This with other findings. */
  CheckReport with(List<Finding> others) {
    return new CheckReport(databases, trees, ssts, entries, logRecords, bytes, others);
  }

  /** Whether nothing is wrong. */
  public boolean isClean() {
    return findings.isEmpty();
  }
}
