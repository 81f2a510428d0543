package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Report;
import io.sifr.bench.report.Report.Section;
import io.sifr.bench.store.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The findings of experiments, as reports. */
public final class Results {
  private static final String CLAIMS = "What the papers claim, and what was measured";
  private static final String LOSSES = "Where Sifr loses";

  /** So many losses are in a summary, the largest. */
  private static final int LOSSES_IN_SUMMARY = 15;

  private record Result(String name, String title, Findings findings) {}

  private final Scale scale;
  private final Map<String, Result> results = new LinkedHashMap<>();
  private final List<Block> notes = new ArrayList<>();

  Results(Scale scale) {
    this.scale = scale;
  }

  /** Adds what an experiment has found, or replaces what it had found before. */
  void put(Experiment experiment, Findings findings) {
    results.put(experiment.name(), new Result(experiment.name(), experiment.title(), findings));
  }

  /** Adds a remark on all figures. */
  void note(String text) {
    notes.add(new Block.Text(text));
  }

  /** All of it: claims, losses, then a section per experiment. */
  public Report report() {
    List<Section> sections = new ArrayList<>(List.of(claims(), losses(Integer.MAX_VALUE)));
    results
        .values()
        .forEach(
            result ->
                sections.add(
                    new Section(
                        result.name() + ": " + result.title(), result.findings().blocks())));
    return new Report("Experiments of the papers, " + Labels.of(scale) + " scale", sections);
  }

  /** Claims, losses, and one table per experiment; those with the same columns share one. */
  public Report summary() {
    List<Section> sections = new ArrayList<>(List.of(claims(), losses(LOSSES_IN_SUMMARY)));
    Map<Object, List<Result>> alike = new LinkedHashMap<>();
    for (Result result : results.values()) {
      result
          .findings()
          .summary()
          .ifPresent(
              block -> alike.computeIfAbsent(columns(block), key -> new ArrayList<>()).add(result));
    }
    alike.values().forEach(group -> sections.add(summary(group)));
    return new Report("Benchmarks", sections);
  }

  /** What the summary shows of an experiment, if that has been run and has figures. */
  public Optional<Block.Table> table(String experiment) {
    return Optional.ofNullable(results.get(experiment))
        .flatMap(result -> result.findings().summary())
        .filter(Block.Table.class::isInstance)
        .map(Block.Table.class::cast);
  }

  /** What the summaries of experiments that share a table have in common. */
  private static Object columns(Block block) {
    return block instanceof Block.Table table
        ? table.headers().subList(1, table.headers().size())
        : block;
  }

  private static Section summary(List<Result> group) {
    Result first = group.get(0);
    Block block = first.findings().summary().orElseThrow();
    if (group.size() == 1 || !(block instanceof Block.Table table)) {
      return new Section(first.name() + ": " + first.title(), List.of(block));
    }
    List<String> headers = new ArrayList<>(table.headers());
    headers.set(0, "");
    List<List<String>> rows = new ArrayList<>();
    for (Result result : group) {
      if (result.findings().summary().orElseThrow() instanceof Block.Table part) {
        for (List<String> cells : part.rows()) {
          List<String> row = new ArrayList<>(cells);
          String what = (part.headers().get(0) + " " + cells.get(0)).strip();
          row.set(0, result.name() + ": " + what);
          rows.add(row);
        }
      }
    }
    String names = group.stream().map(Result::name).collect(Collectors.joining(", "));
    return new Section(names, List.of(new Block.Table(headers, rows)));
  }

  private Section claims() {
    List<Block> blocks = new ArrayList<>(notes);
    if (scale.isLittleData()) {
      blocks.add(
          0,
          new Block.Missing(
              "Times: at this scale they mean nothing. The JVM compiles for most of each run, and"
                  + " the data is no larger than the buffers. Bytes and counts are right, for"
                  + " little data."));
    }
    List<Claim> claims =
        results.values().stream().flatMap(result -> result.findings().claims().stream()).toList();
    if (claims.isEmpty()) {
      blocks.add(new Block.Text("None: this is in no paper."));
    } else {
      blocks.add(Claim.table(claims));
      blocks.add(
          new Block.Text(
              "The verdicts are computed from this run's figures. In place of the papers' stores:"
                  + " sifr-tiered for Size-Tiered, sifr-guarded for PebblesDB, sifr-leveled, leveldb"
                  + " in Java and rocksdb for LevelDB and RocksDB."));
    }
    return new Section(CLAIMS, blocks);
  }

  private Section losses(int most) {
    List<Loss> losses =
        Loss.largestFirst(
            results.values().stream()
                .flatMap(result -> result.findings().losses().stream())
                .toList());
    List<Block> blocks = new ArrayList<>();
    if (scale.isLittleData()) {
      blocks.add(new Block.Missing("Losses in time, see above."));
    }
    if (losses.isEmpty()) {
      blocks.add(new Block.Text("In no figure that was compared with another store's."));
    } else {
      blocks.add(Loss.table(losses.stream().limit(most).toList()));
      blocks.add(
          new Block.Text(
              "Figures in which another store is better than sifr by 5 % or more, the largest"
                  + " first"
                  + (losses.size() > most ? ", " + most + " of " + losses.size() : "")
                  + ". More is better of rates, less of all else."));
    }
    return new Section(LOSSES, blocks);
  }
}
