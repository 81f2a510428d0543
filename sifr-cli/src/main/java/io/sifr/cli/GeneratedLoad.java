package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.cli.demo.SpacePeak;
import io.sifr.cli.demo.Workload;
import io.sifr.cli.report.StatisticsReport;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import io.sifr.cli.terminal.Units;
import java.io.IOException;
import java.util.Locale;

/**
 * The measurements of a load of generated entries.
 *
 * @param entries entries loaded
 * @param bytes bytes of their keys and values
 * @param loadNanos time until the last put, or the bulk load, had returned
 * @param drainNanos time from then until flushes and compactions were done
 * @param peakDiskBytes largest number of bytes of the store's files during the load
 * @param statistics of the store at the end
 */
record GeneratedLoad(
    long entries,
    long bytes,
    long loadNanos,
    long drainNanos,
    long peakDiskBytes,
    StatisticsReport statistics) {

  /** Adds the entries to a sink and waits until all due flushes and compactions are done. */
  static GeneratedLoad run(
      Console console,
      Store store,
      Database database,
      EntrySink sink,
      Workload workload,
      long entries) {
    SpacePeak peak = new SpacePeak(store);
    long bytes = 0;
    long begin = System.nanoTime();
    try (ProgressBar bar = ProgressBar.ofCount(console, "load " + workload.name(), entries)) {
      for (long n = 0; n < entries; n++) {
        byte[] key = workload.key(n);
        byte[] value = workload.value(n);
        sink.put(key, value);
        bytes += key.length + value.length;
        peak.sample();
        bar.update(n + 1);
      }
      sink.finish();
      peak.look();
    }
    long loaded = System.nanoTime();
    store.flush();
    peak.look();
    store.awaitIdle();
    peak.look();
    return new GeneratedLoad(
        entries,
        bytes,
        loaded - begin,
        System.nanoTime() - loaded,
        peak.bytes(),
        new StatisticsReport(store.statistics(), database.forest()));
  }

  void writeText(Console console) throws IOException {
    console.println(
        String.format(
            Locale.ROOT,
            "loaded %s, %s, in %.2f s (%s), drained %.2f s later, at most %s on disk",
            Units.entries(entries),
            Units.bytes(bytes),
            Units.seconds(loadNanos),
            Units.perSecond(entries, loadNanos),
            Units.seconds(drainNanos),
            Units.bytes(peakDiskBytes)));
    statistics.writeText(console);
  }

  void writeFields(JsonGenerator json) throws IOException {
    json.writeNumberField("loadedEntries", entries);
    json.writeNumberField("loadedBytes", bytes);
    json.writeNumberField("loadSeconds", Units.seconds(loadNanos));
    json.writeNumberField("drainSeconds", Units.seconds(drainNanos));
    json.writeNumberField("entriesPerSecond", Units.rate(entries, loadNanos));
    json.writeNumberField("peakDiskBytes", peakDiskBytes);
    statistics.writeFields(json);
  }
}
