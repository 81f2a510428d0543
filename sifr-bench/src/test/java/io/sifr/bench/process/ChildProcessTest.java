package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.cli.terminal.Cleanup;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  private static final String GROUP = "sifr-bench-" + ProcessHandle.current().pid() + "-";

  @TempDir Path directory;
  private final List<String> lines = new ArrayList<>();

  /**
   * Tells what it was started with, leaves a file behind, and ends with the exit code it is given,
   * as a process that was killed does: at once.
   */
  static final class Child {
    public static void main(String[] arguments) throws IOException {
      ManagementFactory.getRuntimeMXBean().getInputArguments().forEach(System.out::println);
      Path groups = Path.of("/proc/self/cgroup");
      if (Files.exists(groups)) {
        Files.readAllLines(groups).forEach(System.out::println);
      }
      assertThat(arguments[1]).isEqualTo("--dir");
      Path file = Path.of(arguments[2], "store", "file");
      Files.createDirectories(file.getParent());
      System.out.println(Files.writeString(file, "left behind"));
      Runtime.getRuntime().halt(Integer.parseInt(arguments[0]));
    }
  }

  /** A directory that does not exist yet. */
  private Path stores() {
    return directory.resolve("stores");
  }

  private int run(OptionalLong memoryBytes, String... arguments) {
    return new ChildProcess(Child.class, new Cleanup())
        .run(List.of(arguments), stores(), memoryBytes, lines::add);
  }

  @Test
  void hasTheOptionsOfThisProcessAndTellsHowItEnded() {
    assertThat(run(OptionalLong.empty(), "7")).isEqualTo(7);
    assertThat(lines)
        .containsAll(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .noneMatch(line -> line.contains(GROUP));
  }

  @Test
  void whatItLeavesBehindIsDeleted() throws IOException {
    assertThat(run(OptionalLong.empty(), "137")).isEqualTo(137);
    assertThat(lines).anyMatch(line -> line.startsWith(stores().toString()));
    try (Stream<Path> left = Files.list(stores())) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void noneIsStartedOnceThisProcessHasBeenToldToStop() {
    Cleanup stopped = new Cleanup();
    stopped.stop(failure -> {});
    assertThatThrownBy(
            () ->
                new ChildProcess(Child.class, stopped)
                    .run(List.of("0"), stores(), OptionalLong.empty(), lines::add))
        .isInstanceOf(CancellationException.class);
    assertThat(lines).isEmpty();
  }

  @Test
  void aMemoryLimitHoldsForItAloneAndLeavesRoomBesideTheHeap() {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    assertThat(run(OptionalLong.of(300 << 20), "0")).isZero();
    assertThat(lines).contains("-Xmx" + (100 << 20)).anyMatch(line -> line.contains(GROUP));
    assertThat(ControlGroups.ours()).isEmpty();
  }
}
