package io.sifr.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskImageTest {
  private static final long BYTES = 16 << 20;

  @TempDir Path directory;

  @BeforeEach
  void askForTheRight() {
    Optional<String> obstacle = DiskImage.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> "no disk image can be created here: " + obstacle);
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void isADiskOfThatSizeUntilItIsClosed() throws IOException {
    try (DiskImage disk = DiskImage.create(directory, BYTES)) {
      assertThat(disk.freeBytes()).isBetween(BYTES / 2, BYTES);
      Path file = disk.directory().resolve("file");
      assertThatThrownBy(
              () -> {
                try (OutputStream out = Files.newOutputStream(file)) {
                  for (long written = 0; written <= BYTES; written += 1 << 20) {
                    out.write(new byte[1 << 20]);
                  }
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("space");
      assertThat(disk.freeBytes()).isLessThan(1 << 20);
      assertThat(Files.size(file)).isBetween(BYTES / 2, BYTES);
    }
    assertThat(left()).isEmpty();
  }

  @Test
  void isTakenAwayAlsoWhenAFileIsOpen() throws IOException {
    DiskImage disk = DiskImage.create(directory, BYTES);
    try (OutputStream out = Files.newOutputStream(disk.directory().resolve("file"))) {
      disk.close();
      out.write(1);
      assertThat(left()).isEmpty();
    }
  }

  @Test
  void whatItsDeviceWasGivenIsCounted() throws IOException {
    try (DiskImage disk = DiskImage.create(directory, BYTES)) {
      disk.sync();
      long before = disk.writtenBytes();
      Files.write(disk.directory().resolve("file"), new byte[1 << 20]);
      disk.sync();
      assertThat(disk.writtenBytes() - before).isBetween(1L << 20, 2L << 20);
    }
  }

  @Test
  void oneThatCannotHoldAFileSystemLeavesNothing() throws IOException {
    assertThatThrownBy(() -> DiskImage.create(directory, 1))
        .isInstanceOf(DiskImageException.class)
        .hasMessageContaining("mkfs.ext4");
    assertThat(left()).isEmpty();
  }
}
