package io.sifr.cli;

import io.sifr.cli.record.RecordFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How entries are written in a file. */
final class FormatMixin {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = {
        "How entries are written: ${COMPLETION-CANDIDATES}.",
        "TSV is key, tab, value, with \\t, \\n, \\r, \\\\ and \\xNN for what is not printable text.",
        "JSONL is an object a line with the fields key and value, or keyHex and valueHex for what"
            + " is not valid UTF-8.",
        "Default: JSONL for files named .jsonl, .ndjson or .json, TSV for others."
      })
  private @Nullable RecordFormat format;

  /** The format that was chosen, or the one the file's name speaks of. */
  RecordFormat of(Path file) {
    RecordFormat chosen = format;
    return chosen == null ? RecordFormat.of(file) : chosen;
  }
}
