package io.sifr.bench.process;

import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Runs a {@link RunSpec} in a JVM of its own, with the course of each workload. Thread-safe. */
public final class ChildRun {
  private final ChildProcess process;
  private final Path directory;

  /**
   * Runs that make their stores in a directory.
   *
   * @param process which understands the command line that a {@link RunSpec} has
   */
  public ChildRun(ChildProcess process, Path directory) {
    this.process = process;
    this.directory = directory;
  }

  /**
   * Runs it and waits for its end.
   *
   * @param memoryBytes the memory it may take, page cache included; no limit if empty
   * @return a result for each workload, and one before them if a fill was needed
   * @throws ChildFailedException when it failed; what it says of that is on standard error
   * @throws MemoryLimitException when its memory cannot be limited
   */
  public List<RunResult> run(RunSpec spec, OptionalLong memoryBytes) {
    List<String> arguments = new ArrayList<>(spec.arguments());
    arguments.addAll(List.of("--json", "--samples"));
    List<RunResult> results = new ArrayList<>();
    int exitCode =
        process.run(
            arguments,
            directory,
            memoryBytes,
            line -> {
              if (line.startsWith("{")) {
                results.add(ResultJson.read(line));
              } else {
                System.err.println(line); // a library of a store that believes it is alone
              }
            });
    if (exitCode != 0) {
      throw new ChildFailedException(spec.store().label(), exitCode);
    }
    return results;
  }
}
