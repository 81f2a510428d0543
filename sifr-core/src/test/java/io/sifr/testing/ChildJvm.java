package io.sifr.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process of its own that runs a main class of the tests: for what no thread can show, such as
 * the lock of another process, or being killed. Closing it kills it.
 */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts the class with the class path and the JVM of this process; its errors go where ours go.
   */
  public static ChildJvm start(Class<?> mainClass, String... arguments) {
    return start(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"), mainClass, arguments);
  }

  /** The same, with other options than those that let it start quickly. */
  public static ChildJvm start(List<String> jvmOptions, Class<?> mainClass, String... arguments) {
    return start(Map.of(), jvmOptions, mainClass, arguments);
  }

  /** The same, with variables of the environment besides ours. */
  public static ChildJvm start(
      Map<String, String> environment,
      List<String> jvmOptions,
      Class<?> mainClass,
      String... arguments) {
    return start(List.of(), environment, jvmOptions, mainClass, arguments);
  }

  /** The same, in a process that may have only so many descriptors; needs a POSIX shell. */
  public static ChildJvm startLimited(int descriptors, Class<?> mainClass, String... arguments) {
    String shell = "ulimit -n " + descriptors + " && exec \"$@\"";
    return start(
        List.of("sh", "-c", shell, "sh"),
        Map.of(),
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"),
        mainClass,
        arguments);
  }

  private static ChildJvm start(
      List<String> launcher,
      Map<String, String> environment,
      List<String> jvmOptions,
      Class<?> mainClass,
      String... arguments) {
    List<String> command = new ArrayList<>(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    try {
      return new ChildJvm(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next line it prints; null when it has ended and everything was read. */
  public @Nullable String nextLine() {
    try {
      return output.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its process id. */
  public long processId() {
    return process.pid();
  }

  /** Kills it as {@code kill -9} does; what it printed before can still be read. */
  public void kill() {
    // Through its handle: killing it through the process object would close the stream we still
    // read.
    process.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    process.onExit().join();
  }
}
