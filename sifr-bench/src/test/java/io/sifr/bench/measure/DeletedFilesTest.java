package io.sifr.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class DeletedFilesTest {
  private static final int PAGE = 4096;
  private static final int BYTES = 3 * PAGE;

  @TempDir Path directory;
  private Path file = Path.of("");

  @BeforeEach
  void writeFile() throws IOException {
    file = Files.write(directory.resolve("a file"), new byte[BYTES]);
  }

  @Test
  void aFileThatIsOpenKeepsItsSpace() throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      assertThat(channel.isOpen()).isTrue();
      assertThat(DeletedFiles.heldBytes(directory)).hasValue(0);
      Files.delete(file);
      assertThat(DeletedFiles.heldBytes(directory)).hasValue(BYTES);
    }
    assertThat(DeletedFiles.heldBytes(directory)).hasValue(0);
  }

  @Test
  void aFileThatIsMappedKeepsItsSpace() throws IOException {
    // The mapping outlives its channel until the buffer is collected.
    byte read;
    OptionalLong held;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      var mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
      channel.close();
      Files.delete(file);
      held = DeletedFiles.heldBytes(directory);
      read = mapped.get(0);
    }
    assertThat(read).isZero();
    assertThat(held).hasValue(BYTES);
  }

  @Test
  void aFileThatIsOpenAndMappedCountsOnce() throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      var mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
      Files.delete(file);
      assertThat(DeletedFiles.heldBytes(directory)).hasValue(BYTES);
      assertThat(mapped.get(PAGE)).isZero();
    }
  }

  @Test
  void filesElsewhereDoNotCount() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    try (FileChannel channel = FileChannel.open(file)) {
      Files.delete(file);
      assertThat(channel.isOpen()).isTrue();
      assertThat(DeletedFiles.heldBytes(other)).hasValue(0);
    }
  }
}
