package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {
  /** The control groups that a process has made and not removed. */
  static List<Path> groupsOf(long pid) {
    return Stream.of("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
        .map(Path::of)
        .filter(Files::exists)
        .flatMap(MemoryLimitTest::list)
        .filter(path -> path.getFileName().toString().startsWith("sifr-bench-" + pid + "-"))
        .toList();
  }

  private static Stream<Path> list(Path directory) {
    try (Stream<Path> children = Files.list(directory)) {
      return children.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Path> groupsOfThisProcess() {
    return groupsOf(ProcessHandle.current().pid());
  }

  @Test
  void whyNoneCanBeMadeIsTold(@TempDir Path machine) throws IOException {
    Path version1 = machine.resolve("memory");
    assertThatThrownBy(() -> MemoryLimit.ofBytes(1 << 20, version1, machine))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessage("no memory limit can be made here: there are no control groups in %s", machine);

    Path controllers = Files.writeString(machine.resolve("cgroup.subtree_control"), "cpu io");
    assertThatThrownBy(() -> MemoryLimit.ofBytes(1 << 20, version1, machine))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageEndingWith("the memory controller is not enabled in %s", controllers);
  }

  @Test
  void aGroupThatTakesNoLimitIsRemovedAgain() {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    assertThatThrownBy(() -> MemoryLimit.ofBytes(Long.MIN_VALUE))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageStartingWith("cannot limit the control group ");
    assertThat(groupsOfThisProcess()).isEmpty();
  }

  @Test
  void twoLimitsOfOneProcessAreTwoControlGroups() {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    try (MemoryLimit one = MemoryLimit.ofBytes(64 << 20);
        MemoryLimit other = MemoryLimit.ofBytes(64 << 20)) {
      assertThat(one.wrap(List.of())).isNotEqualTo(other.wrap(List.of()));
      assertThat(groupsOfThisProcess()).hasSize(2);
    }
    assertThat(groupsOfThisProcess()).isEmpty();
  }
}
