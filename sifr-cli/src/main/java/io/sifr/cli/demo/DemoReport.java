package io.sifr.cli.demo;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.TextBytes;
import io.sifr.cli.report.ForestDrawing;
import io.sifr.cli.report.StatisticsReport;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Paragraph;
import io.sifr.cli.terminal.Units;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.check.CheckReport;
import java.io.IOException;
import java.util.Locale;

/**
 * The result of the demonstration. It exists only if everything was right.
 *
 * @param workload name of the workload
 * @param entries number of entries loaded
 * @param measurements from before the crash
 * @param crash the state of the store after the crash
 * @param check of the whole store at the end
 */
public record DemoReport(
    String workload, long entries, Measurements measurements, Crash crash, CheckReport check) {

  /** Writes tables, sentences and the forest. */
  public void writeText(Console console, boolean ascii) throws IOException {
    say(
        console,
        "",
        String.format(
            Locale.ROOT,
            "%s entries in %s order, keys of %d bytes, values of 1 to %d bytes;",
            Units.count(entries),
            workload,
            Workload.KEY_BYTES,
            Workload.MAX_VALUE_BYTES));
    console.println("every answer verified");
    console.println("");
    writePhases(console);
    console.println("");
    writeLoad(console);
    writeCrash(console);
    console.println("");
    for (String line :
        new ForestDrawing(
                crash.atEnd().forest(), console.traits().columns(), ascii, TextBytes::escape)
            .lines()) {
      console.println(line);
    }
  }

  private void writePhases(Console console) throws IOException {
    console.println(
        String.format(
            Locale.ROOT,
            "%-14s %10s %12s  %8s %8s %8s %9s",
            "",
            "operations",
            "rate",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "max µs"));
    for (PhaseResult phase : measurements.phases()) {
      console.println(
          String.format(
              Locale.ROOT,
              "%-14s %10s %12s  %8.1f %8.1f %8.1f %9.1f",
              phase.name(),
              Units.count(phase.operations()),
              Units.perSecond(phase.operations(), phase.storeNanos()),
              phase.micros(50),
              phase.micros(99),
              phase.micros(99.9),
              phase.maxMicros()));
    }
  }

  private void writeLoad(Console console) throws IOException {
    StoreStatistics loaded = measurements.afterLoad().statistics();
    say(
        console,
        "merging    ",
        String.format(
            Locale.ROOT,
            "done %.2f s after the last put; writers held back for %s ms",
            Units.seconds(measurements.drainNanos()),
            Units.count(loaded.get(Metric.STALL_MILLIS))));
    say(
        console,
        "writing    ",
        String.format(
            Locale.ROOT,
            "%s given, written %.2f times to SSTs, %.2f times with the log",
            Units.bytes(loaded.get(Metric.USER_BYTES)),
            loaded.get(Metric.WRITE_AMPLIFICATION),
            loaded.get(Metric.WRITE_AMPLIFICATION_WITH_LOG)));
    say(
        console,
        "space      ",
        String.format(
            Locale.ROOT,
            "%s in SSTs, %s on disk with the log, %s at the peak",
            Units.bytes(loaded.get(Metric.LIVE_BYTES)),
            Units.bytes(loaded.get(Metric.DISK_BYTES)),
            Units.bytes(measurements.peakDiskBytes())));
  }

  private void writeCrash(Console console) throws IOException {
    say(
        console,
        "crash      ",
        String.format(
            Locale.ROOT,
            "a writing process killed after %s acknowledged puts; reopened in %.2f s;"
                + " all there, and %s it had not acknowledged",
            Units.count(crash.acknowledged()),
            Units.seconds(crash.openNanos()),
            Units.count(crash.unacknowledged())));
    say(
        console,
        "check      ",
        String.join(
            ", ",
            "nothing wrong in " + Units.count(check.ssts(), "SST"),
            Units.entries(check.entries()),
            Units.count(check.logRecords(), "log record"),
            Units.bytes(check.bytes())));
  }

  private static void say(Console console, String label, String text) throws IOException {
    for (String line : Paragraph.lines(label, text, console.traits().columns())) {
      console.println(line);
    }
  }

  /** Writes the fields of the report into the open JSON object. */
  public void writeFields(JsonGenerator json) throws IOException {
    json.writeBooleanField("verified", true);
    json.writeStringField("workload", workload);
    json.writeNumberField("entries", entries);
    json.writeArrayFieldStart("phases");
    for (PhaseResult phase : measurements.phases()) {
      json.writeStartObject();
      json.writeStringField("name", phase.name());
      json.writeNumberField("operations", phase.operations());
      json.writeNumberField("perSecond", Units.rate(phase.operations(), phase.storeNanos()));
      json.writeNumberField("p50Micros", phase.micros(50));
      json.writeNumberField("p99Micros", phase.micros(99));
      json.writeNumberField("p999Micros", phase.micros(99.9));
      json.writeNumberField("maxMicros", phase.maxMicros());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberField("drainSeconds", Units.seconds(measurements.drainNanos()));
    json.writeNumberField("peakDiskBytes", measurements.peakDiskBytes());
    writeStatistics(json, "afterLoad", measurements.afterLoad());
    json.writeObjectFieldStart("crash");
    json.writeNumberField("acknowledged", crash.acknowledged());
    json.writeNumberField("lost", 0);
    json.writeNumberField("unacknowledged", crash.unacknowledged());
    json.writeNumberField("openSeconds", Units.seconds(crash.openNanos()));
    json.writeEndObject();
    json.writeObjectFieldStart("check");
    json.writeNumberField("ssts", check.ssts());
    json.writeNumberField("entries", check.entries());
    json.writeNumberField("logRecords", check.logRecords());
    json.writeNumberField("bytes", check.bytes());
    json.writeNumberField("findings", check.findings().size());
    json.writeEndObject();
    writeStatistics(json, "atEnd", crash.atEnd());
  }

  private static void writeStatistics(JsonGenerator json, String name, StatisticsReport statistics)
      throws IOException {
    json.writeObjectFieldStart(name);
    statistics.writeFields(json);
    json.writeEndObject();
  }
}
