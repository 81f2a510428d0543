package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteLimitTest {
  private static final String SETTING = "blkio.throttle.write_bps_device";

  @TempDir Path directory;

  private Path groups = Path.of("");

  @BeforeEach
  void beInTheRootGroup() throws IOException {
    groups = Files.writeString(directory.resolve("cgroup"), "8:pids:/a\n7:blkio:/\n");
  }

  @Test
  void isSetAndTakenAway() throws IOException {
    Path setting = Files.createFile(directory.resolve(SETTING));
    try (WriteLimit limit = WriteLimit.of("7:3", 1000, directory, groups)) {
      assertThat(limit).isNotNull();
      assertThat(setting).hasContent("7:3 1000");
    }
    assertThat(setting).hasContent("7:3 0");
  }

  @Test
  void whyNoneCanBeSetIsTold() throws IOException {
    assertThatThrownBy(() -> WriteLimit.of("7:3", 1000, directory, groups))
        .isInstanceOf(WriteLimitException.class)
        .hasMessage(
            "no device can be limited here: there are no control groups of version 1 in %s",
            directory);
    Files.createFile(directory.resolve(SETTING));
    Files.writeString(groups, "7:blkio:/other\n");
    assertThatThrownBy(() -> WriteLimit.of("7:3", 1000, directory, groups))
        .isInstanceOf(WriteLimitException.class)
        .hasMessageEndingWith("this process is not in the root group of %s", directory);
  }

  @Test
  void theSystemKnowsItUntilItIsTakenAway() throws IOException {
    assumeThat(DiskImage.obstacle()).isEmpty();
    assumeThat(WriteLimit.obstacle()).isEmpty();
    Path setting = Path.of("/sys/fs/cgroup/blkio", SETTING);
    try (DiskImage disk = DiskImage.create(directory, 16 << 20)) {
      String limited = disk.device() + " 12345678";
      try (WriteLimit limit = WriteLimit.of(disk.device(), 12_345_678)) {
        assertThat(limit).isNotNull();
        assertThat(Files.readAllLines(setting)).contains(limited);
      }
      assertThat(Files.readAllLines(setting)).doesNotContain(limited);
    }
  }

  @Test
  void aDeviceThatDoesNotExistIsRefused() {
    assumeThat(WriteLimit.obstacle()).isEmpty();
    assertThatThrownBy(() -> WriteLimit.of("4095:1048575", 1))
        .isInstanceOf(WriteLimitException.class)
        .hasMessageStartingWith("cannot limit device 4095:1048575");
  }
}
