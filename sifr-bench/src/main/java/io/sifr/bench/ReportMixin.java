package io.sifr.bench;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.HtmlReport;
import io.sifr.bench.report.Machine;
import io.sifr.bench.report.MachineLoad;
import io.sifr.bench.report.MarkdownReport;
import io.sifr.bench.report.PlotFiles;
import io.sifr.bench.report.Report;
import io.sifr.bench.report.Report.Section;
import io.sifr.cli.terminal.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options for the destination of a report. */
final class ReportMixin {
  @Option(
      names = "--report",
      defaultValue = "sifr-bench-report.html",
      paramLabel = "FILE",
      description =
          "Where the report goes, one HTML file that needs no other (default: ${DEFAULT-VALUE})."
              + " A summary in Markdown is written next to it.")
  private Path file = Path.of("");

  @Option(
      names = "--plots",
      paramLabel = "DIR",
      description = "Directory for an SVG file of each plot (default: none).")
  private @Nullable Path plots;

  /** Of before the measurements: the command line is read first. */
  private final MachineLoad load = MachineLoad.begin();

  /**
   * Writes the report with its plots, with the machine and the command line at its end, and reports
   * where they are.
   *
   * @param directory where the stores were
   */
  void write(Report report, Path directory, @Nullable CommandSpec commandSpec, Console console)
      throws IOException {
    Report whole = save(report, directory, commandSpec);
    load.inWords().ifPresent(console.err()::println);
    console.err().println("wrote " + file + " and " + inMarkdown());
    if (plots != null) {
      for (Path plot : PlotFiles.write(whole, plots)) {
        console.err().println("wrote " + plot);
      }
    }
  }

  /** Writes a report that another one will replace, without a word. */
  Report save(Report report, Path directory, @Nullable CommandSpec commandSpec) throws IOException {
    List<Section> sections = new ArrayList<>(report.sections());
    List<Block> machine = new ArrayList<>();
    machine.add(Machine.describe(directory));
    load.inWords().ifPresent(text -> machine.add(new Block.Text(text)));
    machine.add(new Block.Code(commandLine(commandSpec)));
    sections.add(new Section("Machine and command", machine));
    Report whole = new Report(report.title(), sections);
    HtmlReport.write(whole, file);
    MarkdownReport.write(whole, inMarkdown());
    return whole;
  }

  private Path inMarkdown() {
    return file.resolveSibling(baseName() + ".md");
  }

  private String baseName() {
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  static String commandLine(@Nullable CommandSpec commandSpec) {
    if (commandSpec == null) {
      throw new IllegalStateException("not called from a command line");
    }
    return "sifr-bench/bin/sifr-bench "
        + String.join(" ", commandSpec.root().commandLine().getParseResult().originalArgs());
  }
}
