package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.report.Block;
import io.sifr.config.MergeTrigger;
import io.sifr.config.SearchScheme;
import io.sifr.event.ForestShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * How long the stages before the last and the last one are searched, with memory for filters and
 * indexes and without. As in LSM-trie there are filters, and blocks are read from the device.
 */
final class LevelTimes implements Experiment {
  /** Of LSM-trie's filters, which it keeps of the first levels. */
  private static final int FILTER_BITS = 16;

  private static final int READS_A_TURN = 20;

  /** An entry's filters and its part of the index fit. */
  private static final int AMPLE_BYTES_AN_ENTRY = 6;

  /** They do not. */
  private static final int ENTRIES_A_LITTLE_BYTE = 4;

  private static final String UPPER = "key in an upper stage";
  private static final String LAST = "key in the last stage";
  private static final String ABSENT = "absent key";

  @Override
  public String name() {
    return "level-times";
  }

  @Override
  public String title() {
    return "time of the upper levels against the last (LSM-trie Figs. 2 and 3)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "with uniform keys the last level takes a little longer than the others together"
                    + " in 32 GB of memory (Fig. 2), and much less than they in 4 GB, where their"
                    + " filters do not fit (Fig. 3); with Zipfian keys both take the same time.");
    int entries = laboratory.scale().entries();
    Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
    rows.put(
        "ample memory", measure(laboratory, (long) AMPLE_BYTES_AN_ENTRY * entries + (1 << 20)));
    rows.put("little memory", measure(laboratory, entries / ENTRIES_A_LITTLE_BYTE + (64 << 10)));
    List<String> columns = List.of(UPPER, LAST, ABSENT);
    Map<String, Double> ample = rows.getOrDefault("ample memory", Map.of());
    Map<String, Double> little = rows.getOrDefault("little memory", Map.of());
    return findings
        .add(
            new Block.BarPlot(
                "Mean latency of a get by where its key is, direct reads, filters",
                Block.Axis.linear("µs"),
                List.copyOf(rows.keySet()),
                columns.stream()
                    .map(
                        column ->
                            new Block.Bars(
                                column,
                                rows.values().stream().map(row -> row.get(column)).toList()))
                    .toList()))
        .add(Findings.table("mean get, µs", columns, rows))
        .timeClaim(
            "LSM-trie",
            "Fig. 2",
            "with ample memory the last level takes a little longer than the upper ones",
            Measured.ratio("last, µs", ample.get(LAST), "upper", ample.get(UPPER), 1, 1.6))
        .timeClaim(
            "LSM-trie",
            "Fig. 3",
            "with little memory the upper levels take much longer than with ample memory",
            Measured.ratio(
                "upper, little memory, µs",
                little.get(UPPER),
                "ample",
                ample.get(UPPER),
                2,
                Double.MAX_VALUE))
        .comparable(
            "the ratios, of uniform keys. A search of the last stage contains that of the stages"
                + " before it here, as a serial search goes through them. LSM-trie keeps filters"
                + " of the last level on the device; Sifr reads filters through its cache, which"
                + " has "
                + AMPLE_BYTES_AN_ENTRY
                + " bytes an entry or a quarter of a byte.");
  }

  private static Map<String, Double> measure(Laboratory laboratory, long cacheBytes) {
    laboratory.tell("sifr: load, cache of " + Figures.mib(cacheBytes));
    Histogram upper = new Histogram(3);
    Histogram last = new Histogram(3);
    Histogram absent = new Histogram(3);
    int entries = laboratory.scale().entries();
    ReadOptions serial = UncachedStore.with(SearchScheme.SERIAL);
    try (UncachedStore store =
        new UncachedStore(
            laboratory.directory().resolve("sifr-bench-level-times"),
            entries,
            cacheBytes,
            MergeTrigger.LAZY,
            FILTER_BITS)) {
      int inLast = entriesOfLast(store.forest());
      int turns = Math.max(1, laboratory.scale().uncachedReadsOfMany() / READS_A_TURN);
      for (int turn = -turns / 4 - 1; turn < turns; turn++) {
        for (int read = 0; read < READS_A_TURN; read++) {
          // With one stage alone its keys stand for both.
          long of =
              inLast < entries
                  ? store.getInserted(inLast, entries - inLast, serial)
                  : store.get(serial);
          long ofLast = store.getInserted(0, inLast, serial);
          long missing = store.miss(serial);
          if (turn >= 0) {
            upper.recordValue(of);
            last.recordValue(ofLast);
            absent.recordValue(missing);
          }
        }
      }
    }
    return Map.of(
        UPPER,
        upper.getMean() / 1000,
        LAST,
        last.getMean() / 1000,
        ABSENT,
        absent.getMean() / 1000);
  }

  /** The last stage holds the entries that came first. */
  private static int entriesOfLast(ForestShape forest) {
    long entries = 0;
    for (ForestShape.Stage stage : forest.stages()) {
      long here = stage.trees().stream().mapToLong(ForestShape.Tree::entries).sum();
      entries = here > 0 ? here : entries;
    }
    return (int) entries;
  }
}
