package io.sifr.importer;

import io.sifr.config.Compression;
import java.util.List;

/**
 * The result of an import.
 *
 * @param databases that have it now
 * @param compression of them
 */
public record ImportResult(List<Part> databases, Compression compression) {
  /**
   * The contents of a database.
   *
   * @param database its name
   * @param entries their number
   * @param bytes of their keys and values
   */
  public record Part(String database, long entries, long bytes) {}

  /** All entries. */
  public long entries() {
    return databases.stream().mapToLong(Part::entries).sum();
  }

  /** The bytes of all keys and values. */
  public long bytes() {
    return databases.stream().mapToLong(Part::bytes).sum();
  }
}
