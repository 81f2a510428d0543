package io.sifr.cli.record;

import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How fields become a row of text, and a row fields. Not thread-safe. */
interface RowSyntax {
  /** Reads the rows of a stream. */
  RowReader reader(InputStream in);

  /** What in a field this syntax cannot write, or null when it can write the field. */
  @Nullable String obstacle(byte[] field);

  /** The text of a row without line end. Its fields must be without {@link #obstacle}. */
  byte[] join(List<byte[]> fields);

  /** The fields of a text for which {@link #join} would give that text, or null: there are none. */
  @Nullable List<byte[]> split(byte[] text);
}
