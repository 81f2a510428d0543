package io.sifr.importer;

import java.io.IOException;
import java.nio.file.Path;

/** A named part of a source, whose entries are those of one database afterwards. */
public interface SourceCollection {
  /** The name that the database gets. */
  String database();

  /**
   * All entries, from the first on. Called twice, for the import and for the comparison.
   *
   * @param scratch an empty directory for what does not fit into memory
   */
  KeyValues entries(Path scratch) throws IOException;
}
