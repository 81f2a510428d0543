package io.sifr.nativereads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.spi.ReadAnnouncer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class LinuxReadAnnouncerTest {
  private static final int SIZE = 4 << 20;

  @TempDir Path directory;

  private MappedByteBuffer sparse() throws IOException {
    Path file = directory.resolve("sparse");
    try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
      opened.setLength(SIZE);
      return opened.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, SIZE);
    }
  }

  @Test
  void itIsFoundByTheLibrary() {
    assertThat(ServiceLoader.load(ReadAnnouncer.class))
        .hasOnlyElementsOfType(LinuxReadAnnouncer.class)
        .hasSize(1);
  }

  @Test
  void whatKeepsItFromWorkingIsSaid() {
    assertThat(new LinuxReadAnnouncer(17, "Linux", "amd64").obstacle())
        .hasValue("it needs Java 22 or newer, and this is Java 17");
    assertThat(new LinuxReadAnnouncer(25, "Windows 11", "amd64").obstacle())
        .hasValue("it needs Linux, and this is Windows 11");
    assertThat(new LinuxReadAnnouncer(25, "Linux", "riscv64").obstacle())
        .hasValue("it knows the processors amd64 and aarch64, and this is riscv64");
    LinuxReadAnnouncer kept = new LinuxReadAnnouncer(17, "Linux", "amd64");
    assertThat(kept.announce(ByteBuffer.allocateDirect(8))).isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @EnabledForJreRange(min = JRE.JAVA_22)
  void whatIsAnnouncedComesIntoMemoryWithoutBeingTouched() throws IOException {
    LinuxReadAnnouncer announcer = new LinuxReadAnnouncer();
    assertThat(announcer.obstacle()).isEmpty();
    MappedByteBuffer mapped = sparse();
    MappedByteBuffer part = mapped.slice(SIZE / 2 + 100, 5000);
    assertThat(part.isLoaded()).isFalse();
    assertThat(announcer.announce(part)).isTrue();
    while (!part.isLoaded()) { // until the kernel has read it
      Thread.onSpinWait();
    }
    assertThat(mapped.slice(0, 4096).isLoaded()).isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @EnabledForJreRange(min = JRE.JAVA_22)
  void announcingChangesNoByte() throws IOException {
    byte[] content = new byte[SIZE];
    new Random(1).nextBytes(content);
    Path file = Files.write(directory.resolve("content"), content);
    try (FileChannel channel = FileChannel.open(file)) {
      MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, SIZE);
      LinuxReadAnnouncer announcer = new LinuxReadAnnouncer();
      for (int from = 0; from < SIZE - 9000; from += 7777) {
        assertThat(announcer.announce(mapped.slice(from, 9000))).isTrue();
      }
      assertThat(announcer.announce(mapped.slice(SIZE, 0))).isTrue();
      byte[] read = new byte[SIZE];
      mapped.get(read);
      assertThat(read).isEqualTo(content);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @EnabledForJreRange(min = JRE.JAVA_22)
  void whatIsNoMappingOfAFileIsRefusedOrIgnoredAndHarmsNothing() {
    LinuxReadAnnouncer announcer = new LinuxReadAnnouncer();
    ByteBuffer memory = ByteBuffer.allocateDirect(8192).put(5, (byte) 7);
    var unused = announcer.announce(memory);
    assertThat(memory.get(5)).isEqualTo((byte) 7);
  }
}
