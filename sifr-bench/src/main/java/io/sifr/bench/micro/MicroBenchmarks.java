package io.sifr.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Runs the microbenchmarks as the command line of JMH would. */
public final class MicroBenchmarks {
  private MicroBenchmarks() {}

  /**
   * Runs the benchmarks that the arguments select, or all. Unless the arguments say otherwise, the
   * allocation of each operation is measured too, and the first failure ends the run.
   *
   * @param jmhArguments a regular expression and options of JMH, {@code -h} shows them
   * @return 0 when all went well, 1 when a benchmark failed, 2 when the arguments are wrong
   */
  public static int run(List<String> jmhArguments) {
    try {
      CommandLineOptions options =
          new CommandLineOptions(withDefaults(jmhArguments).toArray(String[]::new));
      Runner runner = new Runner(options);
      if (options.shouldHelp()) {
        options.showHelp();
      } else if (options.shouldList()) {
        runner.list();
      } else if (options.shouldListWithParams()) {
        runner.listWithParams(options);
      } else if (options.shouldListProfilers()) {
        options.listProfilers();
      } else if (options.shouldListResultFormats()) {
        options.listResultFormats();
      } else {
        runner.run();
      }
      return 0;
    } catch (CommandLineOptionException e) {
      System.err.println(e.getMessage());
      return 2;
    } catch (NoBenchmarksException e) {
      System.err.println("no microbenchmark matches; -l lists them");
      return 2;
    } catch (RunnerException e) {
      System.err.println(e.getMessage()); // JMH has shown the cause
      return 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // the help could not be shown
    }
  }

  static List<String> withDefaults(List<String> jmhArguments) {
    List<String> arguments = new ArrayList<>(jmhArguments);
    setUnlessGiven(arguments, "-prof", "gc");
    setUnlessGiven(arguments, "-foe", "true");
    return arguments;
  }

  private static void setUnlessGiven(List<String> arguments, String option, String value) {
    if (!arguments.contains(option)) {
      arguments.addAll(List.of(option, value));
    }
  }
}
