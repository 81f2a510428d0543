package io.sifr.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs this program again, in a JVM of its own. */
public final class ChildProcess {
  private ChildProcess() {}

  /**
   * Runs it and waits for its end. What it writes to standard error appears on ours.
   *
   * @param mainClass whose main method is run, on our class path
   * @param jvmOptions further options of the JVM, behind those of this one
   * @param arguments of the main method
   * @param limit the memory it may take, or null
   * @param lines given each line of its standard output
   * @return its exit code
   */
  public static int run(
      Class<?> mainClass,
      List<String> jvmOptions,
      List<String> arguments,
      @Nullable MemoryLimit limit,
      Consumer<String> lines) {
    List<String> command = command(mainClass, jvmOptions, arguments);
    ProcessBuilder builder =
        new ProcessBuilder(limit == null ? command : limit.wrap(command))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      Process process = builder.start();
      try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
        process.getOutputStream().close();
        for (String line; (line = reader.readLine()) != null; ) {
          lines.accept(line);
        }
        return process.waitFor();
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command.get(0), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a child process", e);
    }
  }

  private static List<String> command(
      Class<?> mainClass, List<String> jvmOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass.getName());
    command.addAll(arguments);
    return command;
  }
}
