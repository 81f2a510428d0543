package io.sifr.bench.process;

import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.BiFunction;

/**
 * Keeps the results of runs in a file, so that a command that was cut off after hours can be given
 * again: it does not repeat the runs of which the file has the results.
 *
 * <p>The first line names the build. Then there is for each run a line that says what was run, a
 * line of JSON per result, and a line {@value #END}. What follows the last of these was cut off,
 * and is dropped. Fills that are kept as files are done again. Not thread-safe.
 */
public final class RunJournal {
  private static final String BUILD = "build ";
  private static final String RUN = "run ";
  private static final String END = "end";

  private final Path file;
  private final BiFunction<RunSpec, OptionalLong, List<RunResult>> runner;

  /** The results of each run, in the order of its rounds; those that were read are removed. */
  private final Map<String, Queue<List<RunResult>>> kept = new HashMap<>();

  private RunJournal(Path file, BiFunction<RunSpec, OptionalLong, List<RunResult>> runner) {
    this.file = file;
    this.runner = runner;
  }

  /**
   * Opens a journal, or creates it.
   *
   * @param build what measured; results of another build are refused
   * @param runner does the runs that the journal does not have
   * @throws IllegalArgumentException when the file is no journal, or that of another build
   */
  public static RunJournal open(
      Path file, String build, BiFunction<RunSpec, OptionalLong, List<RunResult>> runner)
      throws IOException {
    RunJournal journal = new RunJournal(file, runner);
    if (Files.exists(file)) {
      journal.read(build);
    } else {
      Files.writeString(file, BUILD + build + "\n", StandardOpenOption.CREATE_NEW);
    }
    return journal;
  }

  private void read(String build) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    if (lines.isEmpty() || !lines.get(0).startsWith(BUILD)) {
      throw new IllegalArgumentException(file + " is not a file of results to continue from");
    }
    String other = lines.get(0).substring(BUILD.length());
    if (!other.equals(build)) {
      throw new IllegalArgumentException(
          file
              + " has results of the build "
              + other
              + ", and this is "
              + build
              + "; give another file, or delete it");
    }
    String run = "";
    List<RunResult> results = new ArrayList<>();
    int complete = 1;
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith(RUN)) {
        run = line.substring(RUN.length());
        results = new ArrayList<>();
      } else if (line.equals(END)) {
        kept.computeIfAbsent(run, first -> new ArrayDeque<>()).add(List.copyOf(results));
        complete = i + 1;
      } else if (lines.subList(i, lines.size()).contains(END)) {
        results.add(ResultJson.read(line));
      }
    }
    Path whole = file.resolveSibling(file.getFileName() + ".new");
    Files.write(whole, lines.subList(0, complete));
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * The results of a run: from the file if it has those of one more round, else it is run.
   *
   * @param memoryBytes the memory it may take, page cache included; no limit if empty
   */
  public List<RunResult> run(RunSpec spec, OptionalLong memoryBytes) {
    if (spec.isKeptFill()) {
      return runner.apply(spec, memoryBytes);
    }
    String run = name(spec, memoryBytes);
    Queue<List<RunResult>> rounds = kept.get(run);
    List<RunResult> known = rounds == null ? null : rounds.poll();
    if (known != null) {
      return known;
    }
    List<RunResult> results = runner.apply(spec, memoryBytes);
    List<String> lines = new ArrayList<>(List.of(RUN + run));
    results.forEach(result -> lines.add(ResultJson.write(result)));
    lines.add(END);
    try {
      Files.write(file, lines, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return results;
  }

  /** What determines the results; where the kept fills are does not. */
  private static String name(RunSpec spec, OptionalLong memoryBytes) {
    String name = String.join(" ", spec.withKeptFills(Optional.empty()).arguments());
    return name
        + (spec.keptFills().isPresent() ? " on a kept fill" : "")
        + (memoryBytes.isPresent() ? " in " + memoryBytes.getAsLong() + " bytes" : "");
  }
}
