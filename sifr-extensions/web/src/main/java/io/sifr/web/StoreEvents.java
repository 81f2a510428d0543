package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.error.CorruptionException;
import io.sifr.event.StoreListener;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Keeps the last events of a store for a {@link StoreWindow}: 200 flushes, compactions and stalls,
 * and 100 failures, in memory. To be given to the store when it is opened, {@link
 * io.sifr.Store.Builder#listener}, together with others by {@link StoreListener#and}. Thread-safe.
 */
public final class StoreEvents implements StoreListener {
  private static final int MOST = 200;
  private static final int MOST_FAILURES = 100;

  /** A stall shorter than this is one of many. */
  private static final long LEAST_STALL_NANOS = 10_000_000;

  private final InstantSource clock;

  // Guarded by this.
  private final Deque<Happened> last = new ArrayDeque<>();
  private final Deque<Failure> failures = new ArrayDeque<>();
  private int count;

  /** Without any events. */
  public StoreEvents() {
    this(InstantSource.system());
  }

  /** By another clock, for tests. */
  StoreEvents(InstantSource clock) {
    this.clock = clock;
  }

  /** Writes what is particular to an event. */
  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private record Happened(int number, long millis, String kind, long nanos, Fields fields) {}

  /** Failures that are the same are one. */
  private record Failure(
      long firstMillis, long lastMillis, int times, String work, String message, String file) {
    boolean isSame(Failure other) {
      return work.equals(other.work) && message.equals(other.message);
    }

    Failure again(Failure later) {
      return new Failure(firstMillis, later.lastMillis, times + 1, work, message, file);
    }
  }

  /** Called by the store. */
  @Override
  public void flushed(FlushEvent event) {
    add(
        "flush",
        event.nanos(),
        json -> {
          json.writeStringField("database", event.database());
          json.writeNumberField("entries", event.entries());
          ssts(json, "written", event.written());
        });
  }

  /** Called by the store. */
  @Override
  public void compacted(CompactionEvent event) {
    add(
        "compaction",
        event.nanos(),
        json -> {
          json.writeStringField("database", event.database());
          json.writeStringField("reason", event.reason().name().toLowerCase(Locale.ROOT));
          json.writeNumberField("fromStage", event.inputs().stage());
          json.writeNumberField("toStage", event.output().stage());
          json.writeNumberField("trees", event.inputs().trees());
          ssts(json, "read", event.inputs().ssts());
          ssts(json, "written", event.output().written());
          ssts(json, "moved", event.output().moved());
          json.writeNumberField("dropped", event.output().droppedEntries());
        });
  }

  /** Called by the store. */
  @Override
  public void stalled(StallEvent event) {
    if (event.nanos() >= LEAST_STALL_NANOS) {
      add("stall", event.nanos(), json -> json.writeStringField("database", event.database()));
    }
  }

  /** Called by the store. */
  @Override
  public void failed(FailureEvent event) {
    Throwable cause = event.cause();
    String message = cause.getMessage();
    long now = clock.millis();
    Failure failure =
        new Failure(
            now,
            now,
            1,
            event.work(),
            message == null ? cause.toString() : message,
            cause instanceof CorruptionException damage ? damage.file().toString() : "");
    synchronized (this) {
      Failure known = null;
      for (Failure each : failures) {
        known = each.isSame(failure) ? each : known;
      }
      if (known != null) {
        failures.remove(known);
        failures.addLast(known.again(failure));
      } else {
        failures.addLast(failure);
        if (failures.size() > MOST_FAILURES) {
          failures.removeFirst();
        }
      }
    }
  }

  private synchronized void add(String kind, long nanos, Fields fields) {
    last.addLast(new Happened(++count, clock.millis(), kind, nanos, fields));
    if (last.size() > MOST) {
      last.removeFirst();
    }
  }

  private static void ssts(JsonGenerator json, String name, Ssts ssts) throws IOException {
    json.writeNumberField(name + "Ssts", ssts.count());
    json.writeNumberField(name + "Bytes", ssts.bytes());
  }

  /** How many different failures there were. */
  synchronized int failures() {
    return failures.size();
  }

  /** The events after one by its number, oldest first, and all failures. */
  synchronized byte[] json(int after) {
    return Json.object(
        json -> {
          json.writeNumberField("count", count);
          json.writeArrayFieldStart("events");
          for (Happened event : last) {
            if (event.number() > after) {
              json.writeStartObject();
              json.writeNumberField("number", event.number());
              json.writeNumberField("time", event.millis());
              json.writeStringField("kind", event.kind());
              json.writeNumberField("nanos", event.nanos());
              event.fields().write(json);
              json.writeEndObject();
            }
          }
          json.writeEndArray();
          json.writeArrayFieldStart("failures");
          for (Failure failure : failures) {
            json.writeStartObject();
            json.writeNumberField("first", failure.firstMillis());
            json.writeNumberField("last", failure.lastMillis());
            json.writeNumberField("times", failure.times());
            json.writeStringField("work", failure.work());
            json.writeStringField("message", failure.message());
            json.writeStringField("file", failure.file());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }
}
