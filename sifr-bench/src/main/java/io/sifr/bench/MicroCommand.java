package io.sifr.bench;

import io.sifr.bench.micro.MicroBenchmarks;
import io.sifr.bench.process.ExitCodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sifr-bench micro}: JMH benchmarks of the store's parts. */
@Command(
    name = "micro",
    description = {
      "Runs JMH benchmarks of the store's parts, with figures of what they allocate.",
      "Everything after \"--\" is for JMH: a pattern of names, -f, -i, -wi, -p and its other"
          + " options (-h lists them, -l the benchmarks)."
    })
final class MicroCommand implements Callable<Integer> {
  @Parameters(paramLabel = "JMH-ARGUMENT", description = "Passed to JMH.")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    int exitCode = MicroBenchmarks.run(arguments);
    return exitCode == 1 ? ExitCodes.FAILED : exitCode;
  }
}
