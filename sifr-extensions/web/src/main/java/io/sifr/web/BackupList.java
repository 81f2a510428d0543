package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Backups;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.util.List;

/** The points of backups, the last first. Thread-safe. */
final class BackupList {
  private static final int MOST = 100;

  /** They may be far away, and change seldom. */
  private static final long FRESH_NANOS = 10_000_000_000L;

  private final Backups backups;
  private final Recent recent = new Recent(FRESH_NANOS);

  BackupList(Backups backups) {
    this.backups = backups;
  }

  byte[] json() {
    return recent.get(0, () -> Json.object(this::write));
  }

  private void write(JsonGenerator json) throws IOException {
    List<Long> numbers;
    try {
      numbers = backups.numbers();
    } catch (IllegalArgumentException | SifrException e) {
      json.writeStringField("problem", e.getMessage());
      numbers = List.of();
    }
    json.writeNumberField("count", numbers.size());
    json.writeArrayFieldStart("points");
    for (int i = numbers.size() - 1; i >= Math.max(0, numbers.size() - MOST); i--) {
      json.writeStartObject();
      point(json, numbers.get(i));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void point(JsonGenerator json, long number) throws IOException {
    json.writeNumberField("number", number);
    Backups.Point point;
    try {
      point = backups.point(number);
    } catch (IllegalArgumentException | SifrException e) {
      json.writeStringField("problem", e.getMessage());
      return;
    }
    json.writeNumberField("taken", point.taken().toEpochMilli());
    json.writeNumberField("databases", point.databases().size());
    json.writeNumberField("ssts", point.ssts());
    json.writeNumberField("bytes", point.bytes());
    json.writeNumberField("copiedBytes", point.copiedBytes());
  }
}
