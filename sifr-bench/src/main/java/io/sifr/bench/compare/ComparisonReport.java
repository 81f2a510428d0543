package io.sifr.bench.compare;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.WarmUp;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import io.sifr.bench.report.Report.Section;
import io.sifr.bench.store.Labels;
import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The report of a comparison. It begins with the figures in which the first store loses and those
 * in which it wins; before them it says if the runs were too short.
 */
public final class ComparisonReport {
  /** Shorter runs are too short for a plot over time. */
  private static final int FEWEST_SECONDS = 3;

  private final List<Outcome> outcomes;

  /** A report of outcomes, the most important store first. */
  public ComparisonReport(List<Outcome> outcomes) {
    this.outcomes = List.copyOf(outcomes);
  }

  /** All sections. */
  public List<Section> sections() {
    List<Section> sections = new ArrayList<>();
    shortRuns().ifPresent(sections::add);
    if (outcomes.size() > 1 && !workloads().isEmpty()) {
      sections.add(losses());
      sections.add(wins());
    }
    for (int workload = 0; workload < workloads().size(); workload++) {
      sections.add(workload(workload));
    }
    sections.add(terms());
    return sections;
  }

  /** The workloads that were run, as named by the first store that completed them. */
  private List<String> workloads() {
    return outcomes.stream()
        .filter(outcome -> !outcome.rounds().isEmpty())
        .findFirst()
        .map(outcome -> outcome.rounds().get(0).stream().map(RunResult::workload).toList())
        .orElse(List.of());
  }

  /** The runs that say little, before all figures. */
  private Optional<Section> shortRuns() {
    return WarmUp.warning(
            outcomes.stream()
                .flatMap(outcome -> outcome.rounds().stream())
                .flatMap(List::stream)
                .toList())
        .map(
            text ->
                new Section("Too short to be taken at their word", List.of(new Block.Text(text))));
  }

  private Section losses() {
    return standings(
        "loses",
        "In none of the figures compared.",
        "another store does better than " + first(),
        Standing::firstLosesTo);
  }

  private Section wins() {
    return standings(
        "wins",
        "In none of the figures compared.",
        first() + " does better than all others",
        Standing::firstBeats);
  }

  private String first() {
    return outcomes.get(0).store().label();
  }

  /** The figures in which the first store and the best of the others stand in a way. */
  private Section standings(
      String verb, String none, String meaning, BiPredicate<Standing, Outcome> stands) {
    List<List<String>> rows = new ArrayList<>();
    for (int workload = 0; workload < workloads().size(); workload++) {
      for (Metric metric : Metric.values()) {
        Standing standing = new Standing(outcomes, workload, metric);
        Optional<Outcome> best = standing.bestOther();
        if (best.isPresent() && stands.test(standing, best.get())) {
          rows.add(
              List.of(
                  workloads().get(workload) + ", " + metric.label(),
                  text(standing.figures(outcomes.get(0))),
                  best.get().store().label(),
                  text(standing.figures(best.get())),
                  text(standing.firstAgainst(best.get()))));
        }
      }
    }
    List<Block> blocks = new ArrayList<>();
    if (rows.isEmpty()) {
      blocks.add(new Block.Text(none));
    } else {
      blocks.add(
          new Block.Text(
              "Each line is a figure in which "
                  + meaning
                  + ", with the best of them. For rates more is better, for all else less."));
      blocks.add(
          new Block.Table(List.of("where", first(), "best other", "its figure", "ratio"), rows));
    }
    return new Section("Where " + first() + " " + verb, blocks);
  }

  private Section workload(int workload) {
    List<Block> blocks = new ArrayList<>();
    blocks.add(plot("Operations a second", workload, Metric.OPS, Metric.OPS_DRAINED));
    blocks.add(plot("Latency in microseconds", workload, Metric.P50, Metric.P99));
    course(workload).ifPresent(blocks::add);
    List<String> headers = new ArrayList<>(List.of("store"));
    List<Metric> metrics =
        Arrays.stream(Metric.values())
            .filter(
                metric ->
                    outcomes.stream()
                        .anyMatch(outcome -> !outcome.figures(workload, metric).isEmpty()))
            .toList();
    metrics.forEach(metric -> headers.add(metric.label()));
    headers.add("ops/s ratio");
    blocks.add(
        new Block.Table(
            headers, outcomes.stream().map(outcome -> row(workload, metrics, outcome)).toList()));
    return new Section(workloads().get(workload), blocks);
  }

  private List<String> row(int workload, List<Metric> metrics, Outcome outcome) {
    List<String> cells = new ArrayList<>(List.of(outcome.store().label()));
    for (Metric metric : metrics) {
      cells.add(text(new Standing(outcomes, workload, metric).figures(outcome)));
    }
    cells.add(text(new Standing(outcomes, workload, Metric.OPS).firstAgainst(outcome)));
    return cells;
  }

  private Block plot(String title, int workload, Metric... metrics) {
    List<Block.Bars> bars = new ArrayList<>();
    for (Metric metric : metrics) {
      List<@Nullable Double> values = new ArrayList<>();
      for (Outcome outcome : outcomes) {
        values.add(
            new Standing(outcomes, workload, metric)
                .figures(outcome)
                .map(Spread::median)
                .orElse(null));
      }
      if (values.stream().anyMatch(value -> value != null)) {
        bars.add(new Block.Bars(metric.label(), values));
      }
    }
    return new Block.BarPlot(
        title,
        Block.Axis.linear(metrics[0].label()),
        outcomes.stream().map(outcome -> outcome.store().label()).toList(),
        bars);
  }

  /** Operations in each second of the first round, if any store ran long enough. */
  private Optional<Block> course(int workload) {
    List<Block.Series> series = new ArrayList<>();
    for (Outcome outcome : outcomes) {
      if (!outcome.rounds().isEmpty()) {
        List<Long> ops = outcome.rounds().get(0).get(workload).opsEachSecond();
        if (ops.size() >= FEWEST_SECONDS) {
          series.add(
              new Block.Series(
                  outcome.store().label(),
                  IntStream.rangeClosed(1, ops.size()).mapToObj(second -> (double) second).toList(),
                  ops.stream().map(Long::doubleValue).toList()));
        }
      }
    }
    return series.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Block.LinePlot(
                "Operations in each second of the first round",
                Block.Axis.linear("second"),
                Block.Axis.linear("operations"),
                series));
  }

  private Section terms() {
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        new Block.Text(
            "Each store runs in a JVM of its own; the stores take turns within a round, in an order"
                + " that changes from round to round. Figures are medians of the rounds, with the"
                + " smallest and the largest in parentheses. A ratio is the first store's figure"
                + " divided by the other's in the same round. Every answer is checked."));
    blocks.add(
        new Block.Table(
            List.of(
                "store",
                "rounds",
                "durability",
                "write buffer",
                "cache",
                "Bloom filters",
                "compression"),
            outcomes.stream().map(ComparisonReport::termsOf).toList()));
    for (Outcome outcome : outcomes) {
      blocks.add(new Block.Text(outcome.store().label() + ": " + outcome.store().caveat() + "."));
      if (!outcome.broken().isEmpty()) {
        blocks.add(
            new Block.Missing(
                outcome.store().label()
                    + " was run without: "
                    + outcome.broken().stream()
                        .map(Term::label)
                        .sorted()
                        .collect(Collectors.joining(", "))));
      }
      unfinished(outcome).forEach(text -> blocks.add(new Block.Missing(text)));
      outcome
          .failure()
          .ifPresent(
              failure ->
                  blocks.add(
                      new Block.Missing(outcome.store().label() + ": " + failure.message())));
    }
    return new Section("Terms", blocks);
  }

  /** The workloads that a time limit ended. */
  private static Stream<String> unfinished(Outcome outcome) {
    return outcome.rounds().stream()
        .flatMap(List::stream)
        .filter(result -> result.operations() < result.operationsAsked())
        .map(
            result ->
                String.format(
                    Locale.ROOT,
                    "%s, %s: %,d of %,d operations in %s s; later workloads found fewer entries.",
                    result.store(),
                    result.workload(),
                    result.operations(),
                    result.operationsAsked(),
                    Numbers.number(result.seconds())));
  }

  private static List<String> termsOf(Outcome outcome) {
    StoreKind store = outcome.store();
    return List.of(
        store.label(),
        Integer.toString(outcome.rounds().size()),
        outcome.spec().terms().durability().name(),
        store.supports(Term.WRITE_BUFFER)
            ? mib(outcome.spec().terms().writeBufferBytes())
            : "its own",
        store.supports(Term.CACHE) ? mib(outcome.spec().terms().cacheBytes()) : "page cache",
        outcome.spec().terms().bloom() ? "10 bits a key" : "off",
        Labels.of(outcome.spec().terms().compression()));
  }

  private static String mib(long bytes) {
    return Numbers.number(bytes / (double) (1 << 20)) + " MiB";
  }

  private static String text(Optional<Spread> spread) {
    return spread.map(Spread::text).orElse(Numbers.NONE);
  }
}
