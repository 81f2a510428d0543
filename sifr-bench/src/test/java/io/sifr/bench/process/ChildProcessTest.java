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
import org.junit.jupiter.api.Test;

class ChildProcessTest {
  private static final String GROUP = "sifr-bench-" + ProcessHandle.current().pid() + "-";

  private final List<String> lines = new ArrayList<>();

  /** Tells what it was started with, and ends with the exit code it is given. */
  static final class Child {
    public static void main(String[] arguments) throws IOException {
      ManagementFactory.getRuntimeMXBean().getInputArguments().forEach(System.out::println);
      Path groups = Path.of("/proc/self/cgroup");
      if (Files.exists(groups)) {
        Files.readAllLines(groups).forEach(System.out::println);
      }
      System.exit(Integer.parseInt(arguments[0]));
    }
  }

  private int run(OptionalLong memoryBytes, String... arguments) {
    return new ChildProcess(Child.class, new Cleanup())
        .run(List.of(arguments), memoryBytes, lines::add);
  }

  @Test
  void hasTheOptionsOfThisProcessAndTellsHowItEnded() {
    assertThat(run(OptionalLong.empty(), "7")).isEqualTo(7);
    assertThat(lines)
        .containsAll(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .noneMatch(line -> line.contains(GROUP));
  }

  @Test
  void noneIsStartedOnceThisProcessHasBeenToldToStop() {
    Cleanup stopped = new Cleanup();
    stopped.stop(failure -> {});
    assertThatThrownBy(
            () ->
                new ChildProcess(Child.class, stopped)
                    .run(List.of("0"), OptionalLong.empty(), lines::add))
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
