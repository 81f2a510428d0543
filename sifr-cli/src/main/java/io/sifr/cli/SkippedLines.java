package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.BadRecordException;
import io.sifr.cli.terminal.Units;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** The lines that a load has skipped: their number, and the first of them. Not thread-safe. */
final class SkippedLines {
  private static final int MOST_SHOWN = 5;

  private final List<BadRecordException> first = new ArrayList<>();
  private long count;

  void add(BadRecordException line) {
    count++;
    if (first.size() < MOST_SHOWN) {
      first.add(line);
    }
  }

  void writeText(PrintStream err) {
    if (count == 0) {
      return;
    }
    for (BadRecordException line : first) {
      err.println("skipped " + line.getMessage());
    }
    err.println(
        "skipped "
            + Units.count(count, "line")
            + (count > first.size() ? ", of which these are the first " + first.size() : ""));
  }

  void writeFields(JsonGenerator json) throws IOException {
    json.writeNumberField("skippedLines", count);
    json.writeArrayFieldStart("firstSkipped");
    for (BadRecordException line : first) {
      json.writeStartObject();
      json.writeNumberField("line", line.line());
      json.writeNumberField("column", line.column());
      json.writeStringField("what", line.what());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
