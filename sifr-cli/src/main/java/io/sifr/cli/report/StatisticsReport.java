package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.util.Locale;

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
    line(console, "written by users", Units.bytes(s.userBytes()));
    line(console, "written to the log", Units.bytes(s.walBytes()));
    line(console, "written by flushes", Units.bytes(s.flushBytes()));
    line(console, "written by merges", Units.bytes(s.mergeBytes()));
    line(console, "moved, not written", Units.bytes(s.movedBytes()));
    line(
        console,
        "write amplification",
        String.format(
            Locale.ROOT,
            "%.2f (%.2f with the log)",
            s.writeAmplification(),
            s.writeAmplificationWithLog()));
    line(console, "bytes on disk", Units.bytes(s.diskBytes()));
    line(console, "bytes of live SSTs", Units.bytes(s.liveBytes()));
    line(console, "in write buffers", Units.bytes(s.memtableBytes()));
    line(console, "in filters", Units.bytes(s.filterBytes()));
    line(
        console,
        "answers of filters",
        String.join(
            ", ",
            Units.count(s.filterRejects()) + " no",
            Units.count(s.filterFalsePositives()) + " maybe in vain"));
    line(console, "writers held back", Units.count(s.stallMillis()) + " ms");
    line(
        console,
        "all databases",
        String.join(
            ", ",
            Units.count(s.databases(), "database"),
            Units.count(s.stages(), "stage"),
            Units.count(s.trees(), "tree"),
            Units.count(s.ssts(), "SST")));
    if (s.unusableSsts() > 0) {
      line(console, "cannot be read", Units.count(s.unusableSsts(), "SST") + ", see sifr check");
    }
    line(
        console,
        "searched since opened",
        String.join(
            ", ",
            Units.count(s.candidates(), "SST"),
            Units.count(s.handOffs(), "hand-off"),
            Units.count(s.uselessReads(), "useless read")));
    latencies(console, "puts since opened", s.puts());
    latencies(console, "gets since opened", s.gets());
    for (ForestShape.Stage stage : forest.stages()) {
      stage(console, stage);
    }
  }

  private static void line(Console console, String name, String value) throws IOException {
    console.println(String.format(Locale.ROOT, "%-21s %s", name, value));
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

  /** Writes the fields of the report into the JSON object that is open. */
  public void writeFields(JsonGenerator json) throws IOException {
    StoreStatistics s = statistics;
    json.writeNumberField("userBytes", s.userBytes());
    json.writeNumberField("walBytes", s.walBytes());
    json.writeNumberField("flushBytes", s.flushBytes());
    json.writeNumberField("mergeBytes", s.mergeBytes());
    json.writeNumberField("movedBytes", s.movedBytes());
    json.writeNumberField("writeAmplification", s.writeAmplification());
    json.writeNumberField("writeAmplificationWithLog", s.writeAmplificationWithLog());
    json.writeNumberField("diskBytes", s.diskBytes());
    json.writeNumberField("liveBytes", s.liveBytes());
    json.writeNumberField("memtableBytes", s.memtableBytes());
    json.writeNumberField("filterBytes", s.filterBytes());
    json.writeNumberField("filterRejects", s.filterRejects());
    json.writeNumberField("filterFalsePositives", s.filterFalsePositives());
    json.writeNumberField("runningMerges", s.runningMerges());
    json.writeNumberField("cleaningThreshold", s.cleaningThreshold());
    json.writeNumberField("currentCleaningThreshold", s.currentCleaningThreshold());
    json.writeNumberField("stallMillis", s.stallMillis());
    json.writeNumberField("candidates", s.candidates());
    json.writeNumberField("handOffs", s.handOffs());
    json.writeNumberField("uselessReads", s.uselessReads());
    json.writeNumberField("reads", s.reads());
    json.writeNumberField("readBytes", s.readBytes());
    json.writeNumberField("cachedBytes", s.cachedBytes());
    json.writeNumberField("databaseCount", s.databases());
    json.writeNumberField("stageCount", s.stages());
    json.writeNumberField("treeCount", s.trees());
    json.writeNumberField("sstCount", s.ssts());
    json.writeNumberField("unusableSstCount", s.unusableSsts());
    latencies(json, "puts", s.puts());
    latencies(json, "gets", s.gets());
    json.writeStringField("database", forest.database());
    json.writeArrayFieldStart("stages");
    for (ForestShape.Stage stage : forest.stages()) {
      stage(json, stage);
    }
    json.writeEndArray();
  }

  private static void latencies(JsonGenerator json, String name, LatencySummary l)
      throws IOException {
    json.writeObjectFieldStart(name);
    json.writeNumberField("samples", l.samples());
    json.writeNumberField("meanMicros", l.meanMicros());
    json.writeNumberField("p50Micros", l.p50Micros());
    json.writeNumberField("p99Micros", l.p99Micros());
    json.writeNumberField("p999Micros", l.p999Micros());
    json.writeNumberField("maxMicros", l.maxMicros());
    json.writeEndObject();
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
