package io.sifr.inspect.salvage;

import io.sifr.inspect.Finding;
import java.util.List;

/**
 * The result of a salvage.
 *
 * @param databases the databases of the new store
 * @param ssts SSTs that entries were taken from
 * @param logRecords whole records that were taken from the log
 * @param bytesRead bytes of all files that were read
 * @param lost what could not be rescued
 * @param notes other findings: damage that cost nothing, and what had to be guessed
 */
public record SalvageReport(
    List<SalvagedDatabase> databases,
    long ssts,
    long logRecords,
    long bytesRead,
    List<LostPiece> lost,
    List<Finding> notes) {
  /** An immutable copy. */
  public SalvageReport {
    databases = List.copyOf(databases);
    lost = List.copyOf(lost);
    notes = List.copyOf(notes);
  }

  /** Entries of all databases of the new store. */
  public long entries() {
    return databases.stream().mapToLong(SalvagedDatabase::entries).sum();
  }

  /**
   * Whether nothing was wrong and nothing had to be guessed: the new store holds exactly what the
   * old one held.
   */
  public boolean isClean() {
    return lost.isEmpty() && notes.isEmpty();
  }
}
