package io.sifr.bench.process;

import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Runs a {@link RunSpec} in a separate JVM, with samples of each workload. Thread-safe. */
public final class ChildRun {
  private final ChildProcess process;
  private final Path directory;

  /**
   * For runs that create their stores in a directory.
   *
   * @param process which accepts the command line of a {@link RunSpec}
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
   * @throws ChildFailedException when it failed; its message is on standard error
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
                System.err.println(
                    line); // output of a library that does not expect others on standard output
              }
            });
    if (exitCode != 0) {
      throw new ChildFailedException(spec.store().label(), exitCode);
    }
    return results;
  }
}
