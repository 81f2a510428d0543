package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.experiment.PolicyModel.Order;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.Durability;
import io.sifr.config.MergePolicy;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What each merge policy writes, and how many trees it leaves, beside a model of it. */
final class PolicyBytes implements Experiment {
  /** No flush but those asked for. */
  private static final int WRITE_BUFFER_BYTES = 5 << 20;

  private static final long SEED = 1;

  /** An entry in random order takes some bytes more than in the model. */
  private static final double TOLERANCE = 0.1;

  @Override
  public String name() {
    return "policy-bytes";
  }

  @Override
  public String title() {
    return "bytes written and trees of each merge policy, beside the model (TPDS Figs. 2a and 9a)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    List<String> columns = new ArrayList<>();
    for (Order order : Order.values()) {
      columns.addAll(
          List.of(order.label() + ": bytes/byte", "model", order.label() + ": trees", "model"));
    }
    columns.add(0, "policy");
    List<List<String>> rows = new ArrayList<>();
    List<Double> offs = new ArrayList<>();
    Map<String, List<@Nullable Double>> bars = new LinkedHashMap<>();
    for (MergePolicy policy : PolicyModel.POLICIES) {
      String label = policy.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      List<String> row = new ArrayList<>(List.of(label));
      for (Order order : Order.values()) {
        laboratory.tell("sifr: " + label + ", " + order.label());
        Figures figures = load(laboratory, policy, order);
        Optional<Figures> model =
            PolicyModel.figures(laboratory.scale().entries(), policy, order)
                .map(expected -> new Figures(expected.bytes(), expected.trees()));
        row.add(Findings.cell(figures.bytes));
        row.add(Findings.cell(model.map(Figures::bytes).orElse(null)));
        row.add(Findings.cell(figures.trees));
        row.add(Findings.cell(model.map(Figures::trees).orElse(null)));
        bars.computeIfAbsent(order.label(), key -> new ArrayList<>()).add(figures.bytes);
        bars.computeIfAbsent(order.label() + ", model", key -> new ArrayList<>())
            .add(model.map(Figures::bytes).orElse(null));
        Double expected = model.map(Figures::bytes).orElse(null);
        if (expected != null) {
          offs.add(figures.bytes / expected - 1);
        }
      }
      rows.add(row);
    }
    List<Block.Bars> series = new ArrayList<>();
    bars.forEach((name, values) -> series.add(new Block.Bars(name, values)));
    long within = offs.stream().filter(off -> off <= TOLERANCE).count();
    return findings
        .claim(
            "the model",
            "of each policy",
            "the policies write at most 10 % more bytes than their models",
            offs.isEmpty()
                ? Measured.nothing("no model of so many entries")
                : Measured.fact(
                    "%d of %d loads; the worst %+.0f %%"
                        .formatted(within, offs.size(), 100 * Collections.max(offs)),
                    within == offs.size()))
        .add(
            new Block.BarPlot(
                "Bytes of SSTs written per user byte",
                Block.Axis.linear("bytes per byte"),
                PolicyModel.POLICIES.stream()
                    .map(policy -> policy.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                    .toList(),
                series))
        .add(new Block.Table(columns, rows))
        .comparable(
            "with the model, which holds keys alone: "
                + PolicyModel.FLUSH_ENTRIES
                + " entries a flush, compactions done before the next; trees are the mean after"
                + " each flush. The model has figures for "
                + PolicyModel.SIZES
                + " entries, and does not cut SSTs between streams. Four streams: each ascends in a"
                + " quarter of the keys, in turns.");
  }

  /** What a load has written for each user byte, and the trees after each flush on average. */
  private record Figures(double bytes, double trees) {}

  private static Figures load(Laboratory laboratory, MergePolicy policy, Order order) {
    Path directory = laboratory.directory().resolve("sifr-bench-policy-bytes");
    StoreOptions options =
        StoreOptions.builder()
            .mergePolicy(policy)
            .durability(Durability.NONE)
            .writeBufferBytes(WRITE_BUFFER_BYTES)
            .filterBitsPerKey(0)
            .build();
    int entries = laboratory.scale().entries();
    Dataset dataset = new Dataset(Shape.PAPER, entries, order != Order.RANDOM, SEED);
    int flushes = entries / PolicyModel.FLUSH_ENTRIES;
    double trees = 0;
    try (Store store = Store.open(directory, options)) {
      Database database = store.database();
      for (int place = 0; place < flushes * PolicyModel.FLUSH_ENTRIES; place++) {
        int entry = order.entry(dataset, place, entries);
        database.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
        if ((place + 1) % PolicyModel.FLUSH_ENTRIES == 0) {
          store.flush();
          store.awaitIdle();
          trees += store.statistics().contents().trees();
        }
      }
      return new Figures(store.statistics().writeAmplification(), trees / flushes);
    } finally {
      DiskSpace.delete(directory);
    }
  }
}
