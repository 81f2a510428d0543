package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.event.CompactionReason;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The statistics of a store and, in short, the forest of one of its databases.
 *
 * @param statistics of the store
 * @param forest of the database
 */
public record StatisticsReport(StoreStatistics statistics, ForestShape forest) {

  /** Writes a table. */
  public void writeText(Console console) throws IOException {
    StoreStatistics s = statistics;
    line(console, "written by users", Units.bytes(s.writes().userBytes()));
    line(console, "written to the log", Units.bytes(s.writes().logBytes()));
    line(console, "written by flushes", Units.bytes(s.writes().flushBytes()));
    line(console, "written by compactions", Units.bytes(s.compactions().writtenBytes()));
    line(console, "moved, not written", Units.bytes(s.compactions().movedBytes()));
    line(console, "compactions ended", ended(s.compactions().ended()));
    line(
        console,
        "write amplification",
        String.format(
            Locale.ROOT,
            "%.2f (%.2f with the log)",
            s.writeAmplification(),
            s.writeAmplificationWithLog()));
    line(console, "bytes on disk", Units.bytes(s.space().diskBytes()));
    line(console, "bytes of live SSTs", Units.bytes(s.space().liveBytes()));
    line(console, "keys and values in them", Units.bytes(s.space().rawBytes()));
    line(
        console,
        "of it data, estimated",
        String.format(
            Locale.ROOT,
            "%s (space amplification %.2f)",
            Units.bytes(s.space().estimatedDataBytes()),
            s.space().amplification()));
    if (s.retainedLog().oldestSequence() > 0) {
      line(
          console,
          "retained log",
          Units.bytes(s.retainedLog().bytes())
              + ", changes from "
              + s.retainedLog().oldestSequence()
              + " to "
              + s.retainedLog().lastSequence());
    }
    line(console, "in write buffers", Units.bytes(s.memory().writeBufferBytes()));
    line(
        console,
        "in the block cache",
        String.join(
            ", ",
            Units.bytes(s.memory().blockCacheBytes()),
            Units.bytes(s.memory().indexBytes()) + " of it indexes",
            Units.bytes(s.memory().filterBytes()) + " filters"));
    line(
        console,
        "range tombstones",
        String.join(
            ", ",
            Units.count(s.contents().rangeTombstones()),
            Units.bytes(s.memory().rangeTombstoneBytes())));
    line(console, "read ahead", Units.bytes(s.memory().readAheadBytes()));
    line(
        console,
        "memory budget",
        String.join(
            ", ",
            Units.bytes(s.memory().budgetBytes()),
            Units.bytes(s.memory().budgetUsedBytes()) + " of it used",
            Units.bytes(s.memory().idleBytes()) + " idle"));
    line(
        console,
        "answers of filters",
        String.join(
            ", ",
            Units.count(s.filters().rejects()) + " no",
            Units.count(s.filters().falsePositives()) + " false positives"));
    line(console, "writers held back", Units.count(s.writes().stallMillis()) + " ms");
    line(
        console,
        "merges stepped back",
        Units.count(s.compactions().stepBackMillis()) + " ms since opened");
    if (s.compactions().rateLimitMillis() > 0) {
      line(
          console,
          "merges kept their limit",
          Units.count(s.compactions().rateLimitMillis()) + " ms since opened");
    }
    line(
        console,
        "all databases",
        String.join(
            ", ",
            Units.count(s.contents().databases(), "database"),
            Units.count(s.contents().stages(), "stage"),
            Units.count(s.contents().trees(), "tree"),
            Units.count(s.contents().ssts(), "SST")));
    if (s.contents().unusableSsts() > 0) {
      line(
          console,
          "cannot be read",
          Units.count(s.contents().unusableSsts(), "SST") + ", see sifr check");
    }
    line(
        console,
        "searched since opened",
        String.join(
            ", ",
            Units.count(s.reads().candidates(), "SST"),
            Units.count(s.reads().handOffs(), "hand-off"),
            Units.count(s.reads().uselessReads(), "useless read")));
    latencies(console, "puts since opened", s.writes().latencies());
    latencies(console, "gets since opened", s.reads().latencies());
    for (ForestShape.Stage stage : forest.stages()) {
      stage(console, stage);
    }
  }

  private static void line(Console console, String name, String value) throws IOException {
    console.println(String.format(Locale.ROOT, "%-21s %s", name, value));
  }

  private static String ended(Map<CompactionReason, Long> ended) {
    String reasons =
        ended.entrySet().stream()
            .filter(count -> count.getValue() > 0)
            .map(count -> Units.count(count.getValue()) + " " + name(count.getKey()))
            .collect(Collectors.joining(", "));
    return reasons.isEmpty() ? "none since opened" : reasons;
  }

  private static String name(CompactionReason reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static void latencies(Console console, String name, LatencySummary l) throws IOException {
    if (l.samples() > 0) {
      line(
          console,
          name,
          String.format(
              Locale.ROOT,
              "p50 %.1f µs, p99 %.1f µs, p99.9 %.1f µs, max %.1f µs",
              l.p50Micros(),
              l.p99Micros(),
              l.p999Micros(),
              l.maxMicros()));
    }
  }

  private void stage(Console console, ForestShape.Stage stage) throws IOException {
    long ssts = stage.trees().stream().mapToLong(tree -> tree.ssts().size()).sum();
    long bytes = stage.trees().stream().mapToLong(ForestShape.Tree::bytes).sum();
    line(
        console,
        forest.database() + ", stage " + stage.number(),
        String.join(
            ", ",
            Units.count(stage.trees().size(), "tree"),
            Units.count(ssts, "SST"),
            Units.bytes(bytes)));
  }

  /** Writes the fields of the report into the open JSON object. */
  public void writeFields(JsonGenerator json) throws IOException {
    writeGroup(json, statistics);
    json.writeNumberField("writeAmplification", statistics.writeAmplification());
    json.writeNumberField("writeAmplificationWithLog", statistics.writeAmplificationWithLog());
    json.writeStringField("database", forest.database());
    json.writeArrayFieldStart("stages");
    for (ForestShape.Stage stage : forest.stages()) {
      stage(json, stage);
    }
    json.writeEndArray();
  }

  /** Writes all components of a record, so that a new figure is written as soon as it is there. */
  private static void writeGroup(JsonGenerator json, Record group) throws IOException {
    for (RecordComponent component : group.getClass().getRecordComponents()) {
      Object value = valueOf(component, group);
      json.writeFieldName(component.getName());
      if (value instanceof Record inner) {
        json.writeStartObject();
        writeGroup(json, inner);
        json.writeEndObject();
      } else if (value instanceof Map<?, ?> counts) {
        json.writeStartObject();
        for (Map.Entry<?, ?> count : counts.entrySet()) {
          json.writeNumberField(count.getKey().toString(), ((Number) count.getValue()).longValue());
        }
        json.writeEndObject();
      } else if (value instanceof Double figure) {
        json.writeNumber(figure);
      } else {
        json.writeNumber(((Number) value).longValue());
      }
    }
  }

  private static Object valueOf(RecordComponent component, Record group) {
    try {
      return component.getAccessor().invoke(group);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the statistics have no " + component.getName(), e);
    }
  }

  private static void stage(JsonGenerator json, ForestShape.Stage stage) throws IOException {
    json.writeStartObject();
    json.writeNumberField("stage", stage.number());
    json.writeArrayFieldStart("trees");
    for (ForestShape.Tree tree : stage.trees()) {
      json.writeStartObject();
      json.writeNumberField("ssts", tree.ssts().size());
      json.writeNumberField("bytes", tree.bytes());
      json.writeNumberField("entries", tree.entries());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
