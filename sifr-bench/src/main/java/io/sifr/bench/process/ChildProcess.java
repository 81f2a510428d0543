package io.sifr.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Runs this program again, in a JVM of its own. */
public final class ChildProcess {
  /** The part of a memory limit that the heap may take: the rest is for buffers and page cache. */
  private static final int HEAP_SHARE = 3;

  private ChildProcess() {}

  /**
   * Runs it and waits for its end. What it writes to standard error appears on ours.
   *
   * @param mainClass whose main method is run, on our class path
   * @param arguments of the main method
   * @param memoryBytes the memory it may take, page cache included; no limit if empty
   * @param lines given each line of its standard output
   * @return its exit code
   * @throws MemoryLimitException when its memory cannot be limited
   */
  public static int run(
      Class<?> mainClass,
      List<String> arguments,
      OptionalLong memoryBytes,
      Consumer<String> lines) {
    if (memoryBytes.isEmpty()) {
      return run(command(mainClass, List.of(), arguments), lines);
    }
    long bytes = memoryBytes.getAsLong();
    try (MemoryLimit limit = MemoryLimit.ofBytes(bytes)) {
      return run(
          limit.wrap(command(mainClass, List.of("-Xmx" + bytes / HEAP_SHARE), arguments)), lines);
    }
  }

  private static int run(List<String> command, Consumer<String> lines) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
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

  /** The options of this JVM are the child's too; further ones stand behind them and win. */
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
