package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.LatencySummary;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
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

  /** Writes a line for each metric that is not 0, by its name in the guide. */
  public void writeText(Console console) throws IOException {
    for (Metric<?> metric : Metric.all()) {
      String value = text(metric, statistics.get(metric));
      if (!value.isEmpty()) {
        line(console, metric.name(), value);
      }
    }
    for (ForestShape.Stage stage : forest.stages()) {
      stage(console, stage);
    }
    if (!forest.valueFiles().isEmpty()) {
      line(console, forest.database() + ", values", ForestDrawing.values(forest));
    }
  }

  /** A value for people; empty if it is 0. */
  private static String text(Metric<?> metric, Object value) {
    if (value instanceof LatencySummary l) {
      return l.samples() == 0
          ? ""
          : String.format(
              Locale.ROOT,
              "p50 %.1f µs, p99 %.1f µs, p99.9 %.1f µs, max %.1f µs",
              l.p50Micros(),
              l.p99Micros(),
              l.p999Micros(),
              l.maxMicros());
    }
    if (value instanceof Map<?, ?> counts) {
      return counts.entrySet().stream()
          .filter(count -> ((Number) count.getValue()).longValue() > 0)
          .map(count -> count.getValue() + " " + words(count.getKey()))
          .collect(Collectors.joining(", "));
    }
    Number number = (Number) value;
    if (number.doubleValue() == 0) {
      return "";
    }
    return switch (metric.unit()) {
      case "bytes" -> Units.bytes(number.longValue());
      case "milliseconds" -> Units.count(number.longValue()) + " ms";
      default ->
          number instanceof Double
              ? String.format(Locale.ROOT, "%.2f", number.doubleValue())
              : Units.count(number.longValue());
    };
  }

  private static String words(Object constant) {
    return constant.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static void line(Console console, String name, String value) throws IOException {
    console.println(String.format(Locale.ROOT, "%-29s %s", name, value));
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
            Units.bytes(bytes) + Places.of(stage).words()));
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
