package io.sifr.bench.experiment;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.bench.experiment.PolicyModel.Order;
import io.sifr.bench.report.Block;
import io.sifr.bench.workload.Dataset;
import io.sifr.bench.workload.Shape;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The bytes that each policy writes and the trees that it leaves, beside a model of it. */
final class PolicyBytes {
  /** No flush but those requested. */
  private static final int WRITE_BUFFER_BYTES = 5 << 20;

  private static final long SEED = 1;

  /** An entry in random order takes some bytes more than in the model. */
  private static final double TOLERANCE = 0.1;

  private static final String MODEL = ", model";

  private PolicyBytes() {}

  static void run(Laboratory laboratory, Findings findings) {
    List<String> columns = new ArrayList<>();
    for (Order order : Order.values()) {
      columns.addAll(
          List.of(bytes(order), bytes(order) + MODEL, trees(order), trees(order) + MODEL));
    }
    Grid grid = new Grid("policy", columns);
    List<Double> offs = new ArrayList<>();
    for (CompactionPolicy.Kind policy : PolicyModel.POLICIES) {
      String label = policy.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      for (Order order : Order.values()) {
        laboratory.tell("sifr: " + label + ", " + order.label());
        PolicyModel.Figures figures = load(laboratory, policy, order);
        grid.put(label, bytes(order), figures.bytes()).put(label, trees(order), figures.trees());
        PolicyModel.figures(laboratory.scale().entries(), policy, order)
            .ifPresent(
                model -> {
                  grid.put(label, bytes(order) + MODEL, model.bytes());
                  grid.put(label, trees(order) + MODEL, model.trees());
                  offs.add(figures.bytes() / model.bytes() - 1);
                });
      }
    }
    long within = offs.stream().filter(off -> off <= TOLERANCE).count();
    findings
        .fact("flushEntries", PolicyModel.FLUSH_ENTRIES)
        .fact("sizes", PolicyModel.SIZES)
        .claim(
            "the model of each policy",
            "the policies write at most 10 % more bytes than their models",
            offs.isEmpty()
                ? Measured.nothing("no model of so many entries")
                : Measured.fact(
                    "%d of %d loads; the worst %+.0f %%"
                        .formatted(within, offs.size(), 100 * Collections.max(offs)),
                    within == offs.size()))
        .add(
            new Grid("", columns.stream().filter(column -> column.contains("bytes")).toList())
                .and(grid)
                .bars("Bytes of SSTs written per user byte", Block.Axis.linear("bytes per byte")))
        .table(grid);
  }

  private static String bytes(Order order) {
    return order.label() + ": bytes/byte";
  }

  private static String trees(Order order) {
    return order.label() + ": trees";
  }

  private static PolicyModel.Figures load(
      Laboratory laboratory, CompactionPolicy.Kind policy, Order order) {
    StoreOptions options =
        StoreOptions.builder()
            .compaction(CompactionPolicy.of(policy))
            .durability(Durability.NONE)
            .writeBufferBytes(WRITE_BUFFER_BYTES)
            .filterBitsPerKey(0)
            .build();
    int entries = laboratory.scale().entries();
    Dataset dataset = new Dataset(Shape.PAPER, entries, order != Order.RANDOM, SEED);
    int flushes = entries / PolicyModel.FLUSH_ENTRIES;
    return laboratory.inDirectory(
        "policy-bytes",
        directory -> {
          double trees = 0;
          try (Store store = Store.open(directory, options)) {
            Database database = store.database();
            for (int place = 0; place < flushes * PolicyModel.FLUSH_ENTRIES; place++) {
              int entry = order.entry(dataset, place, entries);
              database.put(dataset.keys().key(entry), dataset.values().value(entry, 1));
              if ((place + 1) % PolicyModel.FLUSH_ENTRIES == 0) {
                store.flush();
                store.awaitIdle();
                trees += store.statistics().get(Metric.TREES);
              }
            }
            double bytes = store.statistics().get(Metric.WRITE_AMPLIFICATION);
            return new PolicyModel.Figures(bytes, trees / flushes);
          }
        });
  }
}
