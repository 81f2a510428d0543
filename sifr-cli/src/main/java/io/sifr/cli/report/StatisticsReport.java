package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The statistics of a store and, in short, the forest of one of its databases.
 *
 * @param statistics of the store
 * @param forest of the database
 */
public record StatisticsReport(StoreStatistics statistics, ForestShape forest) {
  /** As wide as the longest name that is shown. */
  private static final int NAME_COLUMNS = 29;

  /**
   * Writes a line for each metric that is not 0, by its name in the guide: what the store is now,
   * what it has done over its life, and what it has done since it was opened, each under a heading;
   * then the stages of the database.
   */
  public void writeText(Console console) throws IOException {
    section(console, "Now:", EnumSet.of(Metric.Kind.GAUGE));
    section(console, "Over the life of the store:", EnumSet.of(Metric.Kind.TOTAL));
    section(console, "Since it was opened:", EnumSet.of(Metric.Kind.COUNTER, Metric.Kind.LATENCY));
    console.println("Database " + forest.database() + ":");
    if (forest.stages().isEmpty()) {
      console.println("  no files yet: its entries are in memory and in the log");
    } else {
      stageLine(console, List.of("stage", "trees", "SSTs", "entries", "size"), "");
    }
    for (ForestShape.Stage stage : forest.stages()) {
      stage(console, stage);
    }
    if (!forest.valueFiles().isEmpty()) {
      console.println("  values: " + ForestDrawing.values(forest));
    }
  }

  private void section(Console console, String heading, Set<Metric.Kind> kinds) throws IOException {
    boolean isEmpty = true;
    for (Metric<?> metric : Metric.all()) {
      String value = kinds.contains(metric.kind()) ? text(metric, statistics.get(metric)) : "";
      if (!value.isEmpty()) {
        if (isEmpty) {
          console.println(heading);
        }
        isEmpty = false;
        console.println(
            String.format(Locale.ROOT, "  %-" + NAME_COLUMNS + "s%s", metric.name(), value));
      }
    }
  }

  /** A number and its unit, in columns. */
  private static String columns(String number, String unit) {
    return String.format(Locale.ROOT, "%15s %s", number, unit).stripTrailing();
  }

  /** A value for people; empty if it is 0. */
  private static String text(Metric<?> metric, Object value) {
    if (value instanceof LatencySummary l) {
      return l.samples() == 0
          ? ""
          : columns(String.format(Locale.ROOT, "%.1f", l.p50Micros()), "µs at p50")
              + String.format(
                  Locale.ROOT,
                  ", %.1f at p99, %.1f at p99.9, %.1f at most",
                  l.p99Micros(),
                  l.p999Micros(),
                  l.maxMicros());
    }
    if (value instanceof Map<?, ?> counts) {
      return counts.entrySet().stream()
          .filter(count -> ((Number) count.getValue()).longValue() > 0)
          .map(
              count ->
                  columns(
                      Units.count(((Number) count.getValue()).longValue()), words(count.getKey())))
          .collect(Collectors.joining("\n" + " ".repeat(2 + NAME_COLUMNS)));
    }
    Number number = (Number) value;
    if (number.doubleValue() == 0) {
      return "";
    }
    return switch (metric.unit()) {
      case "bytes" -> {
        String[] size = Units.bytes(number.longValue()).split(" ", 2);
        yield columns(size[0], size[1]);
      }
      case "milliseconds" -> columns(Units.count(number.longValue()), "ms");
      default ->
          columns(
              number instanceof Double
                  ? String.format(Locale.ROOT, "%.2f", number.doubleValue())
                  : Units.count(number.longValue()),
              "");
    };
  }

  private static String words(Object constant) {
    return constant.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static void stageLine(Console console, List<String> cells, String more)
      throws IOException {
    console.println(
        String.format(
            Locale.ROOT,
            "  %5s %8s %9s %17s %11s%s",
            cells.get(0),
            cells.get(1),
            cells.get(2),
            cells.get(3),
            cells.get(4),
            more));
  }

  private static void stage(Console console, ForestShape.Stage stage) throws IOException {
    long ssts = stage.trees().stream().mapToLong(tree -> tree.ssts().size()).sum();
    long entries = stage.trees().stream().mapToLong(ForestShape.Tree::entries).sum();
    long bytes = stage.trees().stream().mapToLong(ForestShape.Tree::bytes).sum();
    stageLine(
        console,
        List.of(
            Integer.toString(stage.number()),
            Units.count(stage.trees().size()),
            Units.count(ssts),
            Units.count(entries),
            Units.bytes(bytes)),
        Places.of(stage).words());
  }

  /** Writes the fields of the report into the open JSON object. */
  public void writeFields(JsonGenerator json) throws IOException {
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
    json.writeStringField("database", forest.database());
    json.writeArrayFieldStart("stages");
    for (ForestShape.Stage stage : forest.stages()) {
      stage(json, stage);
    }
    json.writeEndArray();
    json.writeNumberField("valueFiles", forest.valueFiles().size());
    json.writeNumberField("valueBytes", forest.valueBytes());
    json.writeNumberField("referredValueBytes", forest.referredValueBytes());
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
