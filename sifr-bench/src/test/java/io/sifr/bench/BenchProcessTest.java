package io.sifr.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.bench.process.ControlGroups;
import io.sifr.bench.process.ExitCodes;
import io.sifr.bench.process.MemoryLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program as a process of its own, to which the system does what it can do to one. */
@Tag("process")
@Tag("jvm")
@EnabledOnOs({OS.LINUX, OS.MAC})
class BenchProcessTest {
  /** Children of a script's background job ignore SIGINT, unless it is given back to them. */
  private static final String INTERRUPTIBLE =
      """
      if env --default-signal=INT true 2>/dev/null; then
        exec env --default-signal=INT "$@"
      fi
      exec "$@"
      """;

  /** Reads for ever, once it has filled the store. */
  private static final List<String> ENDLESS =
      List.of(
          "--workload", "fillrandom,readrandom", "--entries", "1000", "--operations", "1000000000");

  private final List<ProcessHandle> started = new ArrayList<>();

  @TempDir private Path temporary;
  private Path stores;
  private Path errors;

  @BeforeEach
  void makeDirectories() throws IOException {
    stores = Files.createDirectory(temporary.resolve("stores"));
    errors = temporary.resolve("errors");
  }

  /** Starts the program with the endless workloads from a shell script, as {@code "$@"}. */
  private Process start(String script, String arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    Collections.addAll(command, "-XX:TieredStopAtLevel=1", "-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(SifrBench.class.getName());
    Collections.addAll(command, arguments.split(" "));
    command.addAll(ENDLESS);
    Collections.addAll(command, "--dir", stores.toString());
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    started.add(process.toHandle());
    return process;
  }

  /** The processes that it has started itself. */
  private List<ProcessHandle> childrenOf(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    started.addAll(children);
    return children;
  }

  @AfterEach
  void endWhatATestThatFailedHasLeft() {
    started.forEach(ProcessHandle::destroyForcibly);
  }

  private static void awaitFirstResult(Process run) throws IOException {
    BufferedReader out = run.inputReader(UTF_8);
    assertThat(out.readLine()).contains("\"workload\":\"fillrandom\"");
  }

  /**
   * Sends a signal to a process, and to none of its children. Returns the exit code it ends with.
   */
  private static int signal(String signal, Process run) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(run.pid())).start();
    assertThat(kill.waitFor()).isZero();
    assertThat(run.waitFor(1, TimeUnit.MINUTES)).as("ends").isTrue();
    return run.exitValue();
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void anInterruptedRunLeavesNothingBehind(String signal, int exitCode) throws Exception {
    Process run = start(INTERRUPTIBLE, "run --store sifr --json");
    awaitFirstResult(run);
    assertThat(stores).isNotEmptyDirectory();

    assertThat(signal(signal, run)).isEqualTo(exitCode);

    assertThat(stores).isEmptyDirectory();
    assertThat(errors).isEmptyFile();
  }

  @Test
  void anInterruptedRunTakesItsMemoryLimitAway() throws Exception {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    Process run = start(INTERRUPTIBLE, "run --memory 512MiB --store sifr --json");
    awaitFirstResult(run);
    assertThat(ControlGroups.madeBy(run.pid())).hasSize(1);
    assertThat(childrenOf(run)).hasSize(1);

    assertThat(signal("TERM", run)).isEqualTo(143);

    assertThat(ControlGroups.madeBy(run.pid())).isEmpty();
    assertThat(stores).isEmptyDirectory();
    assertThat(errors).isEmptyFile();
  }

  @Test
  void anInterruptedComparisonEndsTheProcessItHasStarted() throws Exception {
    try (WatchService watch = stores.getFileSystem().newWatchService()) {
      stores.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      Process compare = start(INTERRUPTIBLE, "compare --stores sifr,leveldb --time-limit 0");
      // The child makes a directory for its store.
      assertThat(watch.poll(1, TimeUnit.MINUTES)).as("a store").isNotNull();
      List<ProcessHandle> children = childrenOf(compare);
      assertThat(children).hasSize(1);

      assertThat(signal("INT", compare)).isEqualTo(130);

      assertThat(children.get(0).isAlive()).isFalse();
      assertThat(stores).isEmptyDirectory();
      assertThat(Files.readString(errors)).contains("round 1: sifr").hasLineCount(1);
    }
  }

  @Test
  void aStoreThatCannotWriteItsFilesIsAFailureOfTheMachine() throws Exception {
    // No file may become larger than 64 KiB: less than the segments of the log soon have.
    Process run = start("ulimit -f 128 && exec \"$@\"", "run --store sifr");

    assertThat(run.waitFor()).isEqualTo(ExitCodes.FAILED);

    assertThat(Files.readString(errors))
        .startsWith("sifr-bench: cannot write " + stores)
        .hasLineCount(1);
    assertThat(stores).isEmptyDirectory();
  }
}
