package io.sifr.bench.process;

import io.sifr.bench.measure.DiskSpace;
import io.sifr.cli.terminal.Cleanup;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs this program again, in a JVM of its own. When this process is told to stop, so is the child.
 * Thread-safe.
 */
public final class ChildProcess {
  /** The part of a memory limit that the heap may take: the rest is for buffers and page cache. */
  private static final int HEAP_SHARE = 3;

  private static final int TRIM_MILLIS = 5000;

  /** More than a child takes that closes a store and deletes its files. */
  private static final long SECONDS_TO_END = 60;

  private final Class<?> mainClass;
  private final Cleanup cleanup;

  /**
   * A process that can be run as often as one likes.
   *
   * @param mainClass whose main method is run, on our class path; when that is one jar, it is the
   *     jar's
   */
  public ChildProcess(Class<?> mainClass, Cleanup cleanup) {
    this.mainClass = mainClass;
    this.cleanup = cleanup;
  }

  /**
   * Runs it and waits for its end. What it writes to standard error appears on ours. It is told by
   * {@code --dir} where to make its files; what it leaves there is deleted, also when it is killed.
   *
   * @param arguments of the main method, without those for its directory
   * @param parent where it may make a directory of its own
   * @param memoryBytes the memory it may take, page cache included; no limit if empty
   * @param lines given each line of its standard output
   * @return its exit code
   * @throws MemoryLimitException when its memory cannot be limited
   * @throws CancellationException when this process has been told to stop
   */
  public int run(
      List<String> arguments, Path parent, OptionalLong memoryBytes, Consumer<String> lines) {
    CompletableFuture<Process> started = new CompletableFuture<>();
    int exitCode =
        cleanup.during(
            () -> end(started), () -> runIn(parent, arguments, memoryBytes, lines, started));
    if (cleanup.isStopping()) {
      throw new CancellationException("the child process was stopped");
    }
    return exitCode;
  }

  private int runIn(
      Path parent,
      List<String> arguments,
      OptionalLong memoryBytes,
      Consumer<String> lines,
      CompletableFuture<Process> started) {
    Path own = parent.resolve("sifr-bench-" + UUID.randomUUID());
    try {
      List<String> all = new ArrayList<>(arguments);
      Collections.addAll(all, "--dir", own.toString());
      return runLimited(all, memoryBytes, lines, started);
    } finally {
      DiskSpace.delete(own);
    }
  }

  private int runLimited(
      List<String> arguments,
      OptionalLong memoryBytes,
      Consumer<String> lines,
      CompletableFuture<Process> started) {
    if (memoryBytes.isEmpty()) {
      return run(command(List.of(), arguments), lines, started);
    }
    long bytes = memoryBytes.getAsLong();
    try (MemoryLimit limit = MemoryLimit.ofBytes(bytes)) {
      List<String> command = command(optionsWithin(bytes), arguments);
      return run(limit.wrap(command), lines, started);
    }
  }

  /**
   * What the compilers of the JVM have given back the C library keeps, up to 50 MB, unless it is
   * told to let go; that is often the difference between a process that fits and one that is
   * killed. JVMs that cannot tell it so ignore the option.
   */
  private static List<String> optionsWithin(long bytes) {
    return List.of(
        "-Xmx" + bytes / HEAP_SHARE,
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:TrimNativeHeapInterval=" + TRIM_MILLIS);
  }

  private static int run(
      List<String> command, Consumer<String> lines, CompletableFuture<Process> started) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      started.complete(process);
      try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
        process.getOutputStream().close();
        for (String line; (line = reader.readLine()) != null; ) {
          lines.accept(line);
        }
        return process.waitFor();
      } finally {
        end(process);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command.get(0), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a child process", e);
    }
  }

  /** At once, or as soon as it has been started. */
  private static void end(CompletableFuture<Process> started) {
    CompletableFuture<?> unused = started.thenAccept(ChildProcess::end);
  }

  /**
   * Lets it clean up, but does not wait for ever. Through its handle: the process object would
   * close the stream that is still read.
   */
  private static void end(Process process) {
    boolean told = process.toHandle().destroy();
    try {
      if (told && !process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        boolean unused = process.toHandle().destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The options of this JVM are the child's too; further ones stand behind them and win. */
  private List<String> command(List<String> jvmOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(jvmOptions);
    String classPath = System.getProperty("java.class.path");
    if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
      // The only way that the manifest is heeded, which grants the peers what they need.
      Collections.addAll(command, "-jar", classPath);
    } else {
      Collections.addAll(command, "-cp", classPath, mainClass.getName());
    }
    command.addAll(arguments);
    return command;
  }
}
