package io.sifr.bench;

import io.sifr.bench.driver.ResultJson;
import io.sifr.bench.driver.RunResult;
import io.sifr.bench.driver.RunSpec;
import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.process.ChildProcess;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.process.MemoryLimit;
import io.sifr.bench.store.StoreKind;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.SizeConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sifr-bench run}: workloads on one store. */
@Command(
    name = "run",
    description = {
      "Runs workloads on one store, in this process.",
      "Every answer of the store is checked; a wrong one ends the run with exit code 3."
    })
final class RunCommand implements Callable<Integer> {
  /** The part of a memory limit that the heap may take: the rest is for buffers and page cache. */
  private static final int HEAP_SHARE = 3;

  private final Console console;

  @Mixin private final TermsMixin terms = new TermsMixin();

  @Option(
      names = "--store",
      required = true,
      paramLabel = "NAME",
      description = "sifr, rocksdb, rocksdb-universal, leveldb, mvstore, lmdb or xodus.")
  private String store = "";

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "Run in a process of its own that may use so much memory, the page cache included. Needs"
              + " the right to make a control group.")
  private @Nullable Long memoryBytes;

  @Option(names = "--json", description = "Write one JSON object a line for each workload.")
  private boolean json;

  @Option(
      names = "--samples",
      description = "With --json: write the course of operations, space and memory too.")
  private boolean samples;

  @Spec private @Nullable CommandSpec commandSpec;

  RunCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    StoreKind kind = StoreKind.of(store);
    RunSpec spec = terms.spec(kind, OptionalInt.empty());
    kind.checkTerms(spec.terms());
    return memoryBytes == null ? run(spec) : runLimited(memoryBytes);
  }

  private int run(RunSpec spec) throws IOException {
    Path directory =
        terms.directory().resolve("sifr-bench-" + store + "-" + ProcessHandle.current().pid());
    List<RunResult> results = new ArrayList<>();
    new StoreRun(spec, directory, new BarProgress(console, store))
        .run(
            result -> {
              results.add(result);
              if (json) {
                print(ResultJson.write(samples ? result : result.withoutSamples()));
              }
            });
    if (!json) {
      new ResultTable(results).print(console);
    }
    return ExitCodes.OK;
  }

  private void print(String line) {
    try {
      console.println(line);
      console.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the same command line without the limit in a process that has it. */
  private int runLimited(long bytes) {
    try (MemoryLimit limit = MemoryLimit.ofBytes(bytes)) {
      return ChildProcess.run(
          SifrBench.class,
          List.of("-Xmx" + bytes / HEAP_SHARE),
          withoutMemory(),
          limit,
          this::print);
    }
  }

  private List<String> withoutMemory() {
    if (commandSpec == null) {
      throw new IllegalStateException("not called from a command line");
    }
    List<String> arguments = new ArrayList<>();
    Iterator<String> given =
        commandSpec.root().commandLine().getParseResult().originalArgs().iterator();
    while (given.hasNext()) {
      String argument = given.next();
      if (argument.equals("--memory")) {
        given.next();
      } else if (!argument.startsWith("--memory=")) {
        arguments.add(argument);
      }
    }
    return arguments;
  }
}
