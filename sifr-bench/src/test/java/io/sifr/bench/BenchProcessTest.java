package io.sifr.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.process.ExitCodes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process of its own, to which the system does what it can do to one. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class BenchProcessTest {
  @TempDir private Path temporary;
  private Path stores;
  private Path errors;

  @BeforeEach
  void makeDirectories() throws IOException {
    stores = Files.createDirectory(temporary.resolve("stores"));
    errors = temporary.resolve("errors");
  }

  /** Starts the program from a shell script, as {@code "$@"}. */
  private Process start(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    Collections.addAll(command, "-XX:TieredStopAtLevel=1", "-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(SifrBench.class.getName());
    Collections.addAll(command, arguments);
    Collections.addAll(command, "--dir", stores.toString());
    return new ProcessBuilder(command).redirectError(errors.toFile()).start();
  }

  @Test
  void aStoreThatCannotWriteItsFilesIsAFailureOfTheMachine() throws Exception {
    // No file may become larger than that: less than a segment of the log.
    Process run =
        start(
            "ulimit -f 1024 && exec \"$@\"",
            "run",
            "--store",
            "sifr",
            "--workload",
            "fillseq",
            "--entries",
            "1000");
    assertThat(run.waitFor()).isEqualTo(ExitCodes.FAILED);
    assertThat(Files.readString(errors))
        .startsWith("sifr-bench: cannot write " + stores)
        .hasLineCount(1);
    assertThat(stores).isEmptyDirectory();
  }
}
