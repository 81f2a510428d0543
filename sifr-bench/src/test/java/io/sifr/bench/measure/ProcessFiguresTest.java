package io.sifr.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ProcessFiguresTest {
  @TempDir Path directory;

  @Test
  @EnabledOnOs(OS.LINUX)
  void onLinuxEverythingIsKnown() {
    ProcessFigures figures = ProcessFigures.now(directory);
    assertThat(figures.cpuNanos()).isPositive();
    assertThat(figures.bytesRead()).isPresent();
    assertThat(figures.bytesWritten()).isPresent();
    assertThat(ProcessFigures.privateMemoryBytes()).isPresent();
    assertThat(ProcessFigures.residentMemoryBytes().orElse(0))
        .isGreaterThan(ProcessFigures.privateMemoryBytes().orElse(0));
  }

  @Test
  void spaceIsThatOfAllFilesBelow() throws IOException {
    Files.write(directory.resolve("a"), new byte[10]);
    Files.createDirectory(directory.resolve("below"));
    Files.write(directory.resolve("below").resolve("b"), new byte[7]);
    assertThat(DiskSpace.bytes(directory)).isEqualTo(17);
    assertThat(DiskSpace.fileSizes(directory)).containsExactly(7L, 10L);
    assertThat(DiskSpace.tableSizes(directory)).containsExactly(7L, 10L);
    Files.write(directory.resolve("below").resolve("1.sst"), new byte[3]);
    assertThat(DiskSpace.tableSizes(directory)).containsExactly(3L);
    DiskSpace.delete(directory.resolve("below"));
    assertThat(DiskSpace.bytes(directory)).isEqualTo(10);
    assertThat(directory.resolve("below")).doesNotExist();
  }
}
