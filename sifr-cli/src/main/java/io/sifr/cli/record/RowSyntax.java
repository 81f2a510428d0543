package io.sifr.cli.record;

import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts fields to a row of text and back. Not thread-safe. */
interface RowSyntax {
  /** Reads the rows of a stream. */
  RowReader reader(InputStream in);

  /** The content of a field that this syntax cannot write, or null when it can write the field. */
  @Nullable String obstacle(byte[] field);

  /** The text of a row without line end. No field may have an {@link #obstacle}. */
  byte[] join(List<byte[]> fields);

  /** The fields for which {@link #join} would return that text, or null when there are none. */
  @Nullable List<byte[]> split(byte[] text);
}
