package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.web.Views.View;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A summary of a store: its size, its work and its health. Thread-safe. */
final class Overview {
  /** As old as the numbers may be: taking them lists the directory. */
  private static final long FRESH_NANOS = 500_000_000L;

  private final boolean isRefreshed;
  private final @Nullable StoreEvents events;
  private final @Nullable Backups backups;
  private final Recent recent = new Recent(FRESH_NANOS);

  Overview(boolean isRefreshed, @Nullable StoreEvents events, @Nullable Backups backups) {
    this.isRefreshed = isRefreshed;
    this.events = events;
    this.backups = backups;
  }

  byte[] store(View view) {
    return recent.get(view.number(), () -> Json.object(json -> write(json, view)));
  }

  private void write(JsonGenerator json, View view) throws IOException {
    Store store = view.store();
    StoreStatistics statistics = store.statistics();
    json.writeStringField("directory", store.directory().toString());
    json.writeNumberField("time", System.currentTimeMillis());
    json.writeBooleanField("readOnly", store.isReadOnly());
    json.writeBooleanField("refreshed", isRefreshed);
    if (view.since() != null) {
      json.writeNumberField("since", view.since().toEpochMilli());
    }
    if (view.problem() != null) {
      json.writeStringField("problem", view.problem());
    }
    json.writeBooleanField("events", events != null);
    json.writeBooleanField("backups", backups != null);
    json.writeNumberField("failures", events == null ? 0 : events.failures());
    log(json, store);
    json.writeObjectFieldStart("statistics");
    for (Metric<?> metric : Metric.all()) {
      for (Map.Entry<String, Number> number : metric.numbers(statistics).entrySet()) {
        if (number.getValue() instanceof Double ratio) {
          json.writeNumberField(number.getKey(), ratio);
        } else {
          json.writeNumberField(number.getKey(), number.getValue().longValue());
        }
      }
    }
    json.writeEndObject();
  }

  /** The segments of the log that lie in the directories of the store; of one in memory none. */
  private static void log(JsonGenerator json, Store store) throws IOException {
    long[] segmentsAndBytes = new long[2];
    add(store.directory(), segmentsAndBytes);
    StoreOptions options = store.options();
    if (options.fastDirectory().isPresent()) {
      add(options.fastDirectory().get(), segmentsAndBytes);
    }
    json.writeObjectFieldStart("log");
    json.writeNumberField("segments", segmentsAndBytes[0]);
    json.writeNumberField("bytes", segmentsAndBytes[1]);
    json.writeEndObject();
  }

  private static void add(Path directory, long[] segmentsAndBytes) {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(directory, "*.wal")) {
      for (Path segment : segments) {
        segmentsAndBytes[1] += Files.size(segment);
        segmentsAndBytes[0]++;
      }
    } catch (IOException | DirectoryIteratorException e) {
      // A segment was deleted, or the directory cannot be listed: what was seen is told.
    }
  }

  /** The table of metrics: what each number is. */
  static byte[] metrics() {
    return Json.object(
        json -> {
          json.writeArrayFieldStart("metrics");
          for (Metric<?> metric : Metric.all()) {
            json.writeStartObject();
            json.writeStringField("name", metric.name());
            json.writeStringField("kind", metric.kind().name());
            json.writeStringField("unit", metric.unit());
            json.writeStringField("meaning", metric.meaning());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }
}
