package io.sifr.bench.experiment;

import io.sifr.ReadOptions;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.workload.Shape;
import io.sifr.config.MergeTrigger;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Filters by bits per key: the same entries, loaded for each number. */
final class FilterBits implements Experiment {
  /** The cache has room for all filters, beside what all stores have for blocks and indexes. */
  private static final int MOST_FILTER_BYTES_A_KEY = 5;

  private static final List<Integer> BITS = List.of(0, 4, 6, 8, 10, 12, 16);

  @Override
  public String name() {
    return "filter-bits";
  }

  @Override
  public String title() {
    return "latency and memory by filter bits per key (TPDS Fig. 12)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    List<Double> bits = BITS.stream().map(Integer::doubleValue).toList();
    List<Double> hits = new ArrayList<>();
    List<Double> misses = new ArrayList<>();
    List<Double> mebibytes = new ArrayList<>();
    List<List<String>> rows = new ArrayList<>();
    int reads = laboratory.scale().uncachedReadsOfMany();
    int entries = laboratory.scale().entries();
    for (int bitsPerKey : BITS) {
      laboratory.tell("sifr: load with filters of " + bitsPerKey + " bits per key");
      try (UncachedStore store =
          new UncachedStore(
              laboratory.directory().resolve("sifr-bench-filter-bits"),
              entries,
              Laboratory.SMALL_CACHE_BYTES + (long) MOST_FILTER_BYTES_A_KEY * entries,
              MergeTrigger.EAGER,
              bitsPerKey)) {
        Reads hit = measure(store, reads, () -> store.get(ReadOptions.DEFAULT));
        Reads miss = measure(store, reads, () -> store.miss(ReadOptions.DEFAULT));
        hits.add(hit.micros());
        misses.add(miss.micros());
        double memory = store.statistics().get(Metric.FILTER_BYTES) / (double) (1 << 20);
        mebibytes.add(memory);
        rows.add(
            List.of(
                bitsPerKey == 0 ? "no filters" : bitsPerKey + " bits",
                Numbers.number(memory),
                Numbers.number(hit.micros()),
                Numbers.number(hit.blocks()),
                Numbers.number(miss.micros()),
                Numbers.number(miss.blocks())));
      }
    }
    double dataBytes = entries * Shape.PAPER.averageEntryBytes();
    return new Findings(laboratory.scale())
        .timeClaim(
            "TPDS",
            "Fig. 12",
            "filters of 10 bits a key make reads 3.7 times as fast",
            Measured.ratio("µs without", at(0, hits), "10 bits", at(10, hits), 2.8, 5))
        .timeClaim(
            "TPDS",
            "Fig. 12",
            "more bits hardly help",
            Measured.ratio("µs with 16 bits", at(16, hits), "10", at(10, hits), 0.85, 1.15))
        .claim(
            "TPDS",
            "Fig. 12",
            "filters of 10 bits a key take 1.06 % of the data's size",
            Measured.value("%", 100 * at(10, mebibytes) * (1 << 20) / dataBytes, 0.8, 1.4))
        .timeClaim(
            "CS561",
            "Fig. 12",
            "larger filters make queries faster",
            Measured.ratio("µs with 10 bits", at(10, misses), "4", at(4, misses), 0, 0.95))
        .paper(
            "10 bits per key make reads 3.7 times as fast and take 106 MB for 10 GB of data; more"
                + " bits help little.")
        .lines(
            "Mean latency of a get, direct reads",
            Block.Axis.linear("bits a key in the last stage, 3 more in each before"),
            Block.Axis.linear("µs"),
            List.of(
                new Block.Series("present keys", bits, hits),
                new Block.Series("absent keys", bits, misses)))
        .lines(
            "Memory of the filters",
            Block.Axis.linear("bits a key in the last stage, 3 more in each before"),
            Block.Axis.linear("MiB"),
            List.of(new Block.Series("all filters", bits, mebibytes)))
        .add(
            new Block.Table(
                List.of(
                    "bits a key",
                    "memory, MiB",
                    "present, µs",
                    "blocks read",
                    "absent, µs",
                    "blocks read"),
                rows))
        .comparable(
            "the shape: a steep fall up to 8 or 10 bits, and little after. The search is adaptive,"
                + " so without filters the trees are read in parallel.");
  }

  private static double at(int bits, List<Double> figures) {
    return figures.get(BITS.indexOf(bits));
  }

  private record Reads(double micros, double blocks) {}

  private static Reads measure(UncachedStore store, int reads, LongSupplier read) {
    for (int i = 0; i < reads / 4; i++) {
      var unused = read.getAsLong();
    }
    StoreStatistics before = store.statistics();
    long nanos = 0;
    for (int i = 0; i < reads; i++) {
      nanos += read.getAsLong();
    }
    long blocks = store.statistics().get(Metric.FILE_READS) - before.get(Metric.FILE_READS);
    return new Reads(nanos / 1000.0 / reads, blocks / (double) reads);
  }
}
