package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

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
