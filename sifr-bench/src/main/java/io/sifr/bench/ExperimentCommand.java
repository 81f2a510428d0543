package io.sifr.bench;

import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.experiment.Experiments;
import io.sifr.bench.experiment.Laboratory;
import io.sifr.bench.experiment.Results;
import io.sifr.bench.experiment.Scale;
import io.sifr.bench.process.ChildProcess;
import io.sifr.bench.process.ChildRun;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.process.RunJournal;
import io.sifr.bench.report.Block;
import io.sifr.bench.report.Machine;
import io.sifr.bench.report.MarkdownReport;
import io.sifr.bench.report.MarkedTable;
import io.sifr.bench.report.Report;
import io.sifr.bench.report.Report.Section;
import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sifr-bench experiment}: tables and figures of the papers. */
@Command(
    name = "experiment",
    description = "Repeats experiments of the papers at this machine's scale, and writes a report.")
final class ExperimentCommand implements Callable<Integer> {
  private final Console console;
  private final Cleanup cleanup;

  @Mixin private final ReportMixin report = new ReportMixin();

  @Parameters(
      paramLabel = "NAME[,NAME...]",
      description =
          "stores, growth-factor, space, early-cleaning, small-disk, write, write-memory, file-sizes, candidate-trees,"
              + " memory-provision, filter-bits, stage-of-key, search-threads, parallel-reads, range, ycsb,"
              + " two-way-search, level-times, policies, policy-bytes, cs561, range-delete, overwrites, queue,"
              + " streams, stalls, write-stalls, slow-bytes, columns, depth, tail, lds,"
              + " hints, read-while-writing,"
              + " store-size, many-databases, or all.")
  private String names = "";

  @Option(
      names = "--scale",
      defaultValue = "small",
      paramLabel = "tiny|small|moderate|medium|large",
      description =
          "40 thousand, 400 thousand, 3 million, 10 million or 100 million entries (default:"
              + " ${DEFAULT-VALUE}). The smallest only shows that everything runs; all experiments"
              + " take about 105 minutes with 3 million, and four and a half hours with 10 million.")
  private Scale scale = Scale.SMALL;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where stores are created, and deleted afterwards (default: the directory for temporary"
              + " files).")
  private @Nullable Path directory;

  @Option(
      names = "--summary",
      paramLabel = "FILE",
      description =
          "Also write a short summary in Markdown: claims, losses, one table per experiment"
              + " (default: none).")
  private @Nullable Path summary;

  @Option(
      names = "--figures",
      paramLabel = "FILE",
      description =
          "Also put the table of the experiment stores into this page in Markdown, between its lines"
              + " for figures (default: none).")
  private @Nullable Path figures;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "How often each process with a store runs, in turns; the median counts (default:"
              + " ${DEFAULT-VALUE}).")
  private int rounds = 1;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "Begin no round but the first of an experiment when so many minutes are over (default: no"
              + " limit).")
  private @Nullable Integer minutes;

  @Option(
      names = "--continue",
      paramLabel = "FILE",
      description =
          "Keep the results of each process in this file. If it has some already, do not repeat"
              + " these: so the same command continues what was cut off (default: none).")
  private @Nullable Path journal;

  @Spec private @Nullable CommandSpec commandSpec;

  ExperimentCommand(Console console, Cleanup cleanup) {
    this.console = console;
    this.cleanup = cleanup;
  }

  @Override
  public Integer call() throws IOException {
    Path stores = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
    if (minutes != null && minutes < 1) {
      throw new IllegalArgumentException("minutes is " + minutes + "; allowed: 1 and more");
    }
    if (figures != null) {
      MarkedTable.check(figures);
    }
    long start = System.nanoTime();
    Laboratory laboratory =
        new Laboratory(
            scale,
            rounds,
            () -> minutes != null && System.nanoTime() - start >= TimeUnit.MINUTES.toNanos(minutes),
            stores,
            runner(stores),
            what ->
                console
                    .err()
                    .printf(
                        Locale.ROOT,
                        "[%4d s] %s%n",
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                        what));
    Runnable deletion = laboratory::deleteKeptFills;
    cleanup.add(deletion);
    try {
      Results results = Experiments.run(names, laboratory, found -> save(found, stores));
      scale.warning().ifPresent(console.err()::println);
      report.write(withWarning(results.report()), stores, commandSpec, console);
      if (summary != null) {
        saveSummary(results, stores, summary);
        console.err().println("wrote " + summary);
      }
      if (figures != null) {
        saveFigures(results, figures);
        console.err().println("wrote " + figures);
      }
      return laboratory.wrongAnswers() ? ExitCodes.WRONG_ANSWER : ExitCodes.OK;
    } finally {
      deletion.run();
      cleanup.remove(deletion);
    }
  }

  private BiFunction<RunSpec, OptionalLong, List<RunResult>> runner(Path stores)
      throws IOException {
    ChildRun run = new ChildRun(new ChildProcess(SifrBench.class, cleanup), stores);
    return journal == null ? run::run : RunJournal.open(journal, Machine.commit(), run::run)::run;
  }

  /** Writes what was found so far, since the rest may take hours. */
  private void save(Results found, Path stores) {
    try {
      report.save(withWarning(found.report()), stores, commandSpec);
      if (summary != null) {
        saveSummary(found, stores, summary);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void saveSummary(Results found, Path stores, Path file) throws IOException {
    MarkdownReport.write(withMachine(withWarning(found.summary()), stores), file);
  }

  /** A report that begins with what its scale means for its times, if they mean little. */
  private Report withWarning(Report plain) {
    List<Section> sections = new ArrayList<>();
    scale
        .warning()
        .ifPresent(
            text ->
                sections.add(
                    new Section("What the times are worth", List.of(new Block.Text(text)))));
    sections.addAll(plain.sections());
    return new Report(plain.title(), sections);
  }

  private static void saveFigures(Results found, Path page) throws IOException {
    MarkedTable.replace(
        page,
        found
            .table(Experiments.STORES)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "there are no figures for --figures: they are those of the experiment "
                            + Experiments.STORES)));
  }

  /** A report that begins with where and how it was made. */
  private Report withMachine(Report plain, Path stores) throws IOException {
    List<Section> sections = new ArrayList<>();
    sections.add(
        new Section(
            "What was measured",
            List.of(
                new Block.Code(ReportMixin.commandLine(commandSpec)), Machine.inWords(stores))));
    sections.addAll(plain.sections());
    return new Report(plain.title(), sections);
  }
}
