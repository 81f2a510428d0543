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
 * Runs this program in a separate JVM. When this process has to stop, so is the child. Thread-safe.
 */
public final class ChildProcess {
  /** The fraction of a memory limit for the heap; the rest is for buffers and page cache. */
  private static final int HEAP_SHARE = 3;

  private static final int TRIM_MILLIS = 5000;

  /** Longer than a child takes to close a store and delete its files. */
  private static final long SECONDS_TO_END = 60;

  private final Class<?> mainClass;
  private final Cleanup cleanup;

  /**
   * A process that can be run any number of times.
   *
   * @param mainClass whose main method is run, on the class path of this process; when that is one
   *     jar, the jar's main class
   */
  public ChildProcess(Class<?> mainClass, Cleanup cleanup) {
    this.mainClass = mainClass;
    this.cleanup = cleanup;
  }

  /**
   * Runs it and waits for its end. It shares this process's standard error. {@code --dir} names the
   * directory for its files, which is deleted afterwards, also when the child is killed.
   *
   * @param arguments of the main method, without those for its directory
   * @param parent where a directory for it may be created
   * @param memoryBytes the memory it may take, page cache included; no limit if empty
   * @param lines receives each line of its standard output
   * @return its exit code
   * @throws MemoryLimitException when its memory cannot be limited
   * @throws CancellationException when this process has to stop
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
   * The C library keeps up to 50 MB that the JVM's compilers have freed unless it is set to release
   * it; that often decides whether a process fits or is killed. JVMs without this option ignore it.
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

  /** Stops it at once, or as soon as it was started. */
  private static void end(CompletableFuture<Process> started) {
    CompletableFuture<?> unused = started.thenAccept(ChildProcess::end);
  }

  /**
   * Lets it clean up, for a limited time. Through its handle, because the process object would
   * close the stream that is still being read.
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

  /**
   * The child inherits the options of this JVM; further options follow them and take precedence.
   */
  private List<String> command(List<String> jvmOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(jvmOptions);
    String classPath = System.getProperty("java.class.path");
    if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
      // Only -jar makes the JVM use the manifest, which grants the other stores what they need.
      Collections.addAll(command, "-jar", classPath);
    } else {
      Collections.addAll(command, "-cp", classPath, mainClass.getName());
    }
    command.addAll(arguments);
    return command;
  }
}
