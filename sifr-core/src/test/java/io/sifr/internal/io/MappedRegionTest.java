package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class MappedRegionTest {
  @TempDir Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();
  private Path file;

  MappedRegionTest() {
    file = Path.of("");
  }

  @BeforeEach
  void writeFile() throws IOException {
    file = Files.write(directory.resolve("mapped-region"), new byte[8192]);
  }

  @Test
  void storesAndForcesReachTheFile() throws IOException {
    try (MappedRegion region = disk.mapForWrite(file, 8192)) {
      assertThat(region.buffer().order()).isEqualTo(ByteOrder.BIG_ENDIAN);
      assertThat(region.buffer().capacity()).isEqualTo(8192);
      region.buffer().putInt(5000, 0x01020304);
      region.force(5000, 4);
    }
    assertThat(Files.readAllBytes(file)[5001]).isEqualTo((byte) 2);
  }

  @Test
  void onlyTheAskedPartIsMappedAndTheFileKeepsItsSize() {
    try (MappedRegion region = disk.mapForWrite(file, 100)) {
      assertThat(region.buffer().capacity()).isEqualTo(100);
    }
    assertThat(disk.size(file)).isEqualTo(8192);
  }

  @Test
  void mappingForReadCannotBeWritten() {
    try (MappedRegion region = disk.mapForRead(file, 8192)) {
      ByteBuffer buffer = region.buffer();
      assertThatThrownBy(() -> buffer.put(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
    }
  }

  @Test
  void emptyFileCanBeMapped() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    try (MappedRegion region = disk.mapForRead(empty, 0)) {
      assertThat(region.buffer().capacity()).isZero();
    }
  }

  /** What was never written of a file is on no disk, and in memory from the first read on. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void theSystemSaysWhatIsInMemory() throws IOException {
    Path sparse = directory.resolve("sparse");
    try (RandomAccessFile opened = new RandomAccessFile(sparse.toFile(), "rw")) {
      opened.setLength(256 << 20); // more than is read ahead
    }
    try (MappedRegion region = disk.mapForRead(sparse, 256 << 20)) {
      assertThat(region.isInMemory(2 << 20, 4096)).isFalse();
      assertThat(region.buffer().get((2 << 20) + 100)).isZero();
      assertThat(region.isInMemory(2 << 20, 4096)).isTrue();
      assertThat(region.isInMemory((2 << 20) + 5, 4000)).isTrue();
      assertThat(region.isInMemory(0, 256 << 20)).isFalse();
    }
  }

  @Test
  void sizeMustFitABuffer() {
    assertThatThrownBy(() -> disk.mapForRead(file, 1L << 31))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> disk.mapForWrite(file, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void closedRegionHandsOutNothing() {
    MappedRegion region = disk.mapForWrite(file, 8192);
    region.close();
    region.close();
    assertThatThrownBy(region::buffer).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.force(0, 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @EnabledForJreRange(minVersion = MemoryMapper.ByArena.SINCE_FEATURE)
  void bufferUsedAfterCloseIsAnExceptionAndNoCrash() {
    MappedRegion region = disk.mapForRead(file, 8192);
    ByteBuffer buffer = region.buffer();
    ByteBuffer duplicate = buffer.duplicate();
    region.close();
    assertThatThrownBy(() -> buffer.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> duplicate.get(new byte[10])).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void closeUnmapsAtOnce() throws IOException {
    MappedRegion region = disk.mapForRead(file, 8192);
    assertThat(mappingsOfThisProcess()).contains("mapped-region");
    region.close();
    assertThat(mappingsOfThisProcess()).doesNotContain("mapped-region");
  }

  private static String mappingsOfThisProcess() throws IOException {
    return Files.readString(Path.of("/proc/self/maps"));
  }
}
