package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {
  @Test
  void whyNoneCanBeMadeIsTold(@TempDir Path machine) throws IOException {
    Path version1 = machine.resolve("memory");
    assertThatThrownBy(() -> MemoryLimit.ofBytes(1 << 20, version1, machine))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessage(
            "no memory limit can be created here: there are no control groups in %s", machine);

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
    assertThat(ControlGroups.ours()).isEmpty();
  }

  @Test
  void twoLimitsOfOneProcessAreTwoControlGroups() {
    assumeThat(MemoryLimit.obstacle()).isEmpty();
    try (MemoryLimit one = MemoryLimit.ofBytes(64 << 20);
        MemoryLimit other = MemoryLimit.ofBytes(64 << 20)) {
      assertThat(one.wrap(List.of())).isNotEqualTo(other.wrap(List.of()));
      assertThat(ControlGroups.ours()).hasSize(2);
    }
    assertThat(ControlGroups.ours()).isEmpty();
  }
}
