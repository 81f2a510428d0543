package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class DiskFileSystemTest {
  @TempDir Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void filesAndDirectoriesAreForTheOwnerAlone() throws IOException {
    Path inner = directory.resolve("a/b");
    disk.createDirectories(inner);
    Path file = inner.resolve("f");
    disk.create(file).close();
    try (DirectoryLock lock = disk.lock(inner, "LOCK")) {
      assertThat(lock).isNotNull();
      assertThat(permissions(inner)).isEqualTo("rwx------");
      assertThat(permissions(directory.resolve("a"))).isEqualTo("rwx------");
      assertThat(permissions(file)).isEqualTo("rw-------");
      assertThat(permissions(inner.resolve("LOCK"))).isEqualTo("rw-------");
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void existingDirectoryIsLeftAsItIsAlsoThroughALink() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxr-x---"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);

    disk.createDirectories(link);

    assertThat(permissions(real)).isEqualTo("rwxr-x---");
  }

  @Test
  void whatIsAppendedFromArraysAndBuffersIsReadBack() {
    byte[] content = randomBytes(3_000_000);
    Path file = directory.resolve("f");
    try (AppendFile out = disk.create(file)) {
      out.append(content, 0, 1_000_001);
      ByteBuffer direct = ByteBuffer.allocateDirect(1_000_000);
      direct.put(content, 1_000_001, 1_000_000).flip();
      out.append(direct);
      assertThat(direct.hasRemaining()).isFalse();
      ByteBuffer heap = ByteBuffer.wrap(content).position(2_000_001).slice();
      out.append(heap);
      assertThat(heap.hasRemaining()).isFalse();
      assertThat(out.position()).isEqualTo(content.length);
      out.sync();
    }

    assertThat(disk.size(file)).isEqualTo(content.length);
    assertThat(readAll(file)).isEqualTo(content);
  }

  @Test
  void readAtAPositionFillsTheBufferBetweenItsPositionAndLimit() {
    byte[] content = randomBytes(10_000);
    Path file = write("f", content);
    try (RandomReadFile in = disk.openForRead(file)) {
      ByteBuffer target = ByteBuffer.allocate(100).position(10).limit(60);
      in.readFully(target, 9_950);
      assertThat(target.position()).isEqualTo(60);
      assertThat(target.limit()).isEqualTo(60);
      assertThat(ByteBuffer.wrap(target.array(), 10, 50))
          .isEqualTo(ByteBuffer.wrap(content, 9_950, 50));
      assertThat(target.array()[9]).isZero();
      assertThat(target.array()[60]).isZero();
    }
  }

  @Test
  void theNextBytesAreReadLikeAnyOthers() {
    byte[] content = randomBytes(40_000);
    Path file = write("f", content);
    try (RandomReadFile in = disk.openForRead(file)) {
      for (int position : new int[] {0, 1, 4096, 8191, 8192, 8193, 39_950}) {
        ByteBuffer target = ByteBuffer.allocate(100).position(10).limit(60);
        in.readNext(target, position);
        assertThat(target.position()).isEqualTo(60);
        assertThat(ByteBuffer.wrap(target.array(), 10, 50))
            .isEqualTo(ByteBuffer.wrap(content, position, 50));
        assertThat(target.array()[9]).isZero();
        assertThat(target.array()[60]).isZero();
      }
      in.readNext(ByteBuffer.allocate(0), 20_000);
      assertThatThrownBy(() -> in.readNext(ByteBuffer.allocate(10), 39_991))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void readBeyondTheEndIsDamageNamingThePlace() {
    Path file = write("f", new byte[100]);
    try (RandomReadFile in = disk.openForRead(file)) {
      assertThat(in.size()).isEqualTo(100);
      assertThatThrownBy(() -> in.readFully(ByteBuffer.allocate(10), 91))
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo(file);
                assertThat(e.offset()).isEqualTo(91);
              });
      assertThatThrownBy(() -> in.readFully(ByteBuffer.allocate(1), Long.MAX_VALUE))
          .isInstanceOf(CorruptionException.class);
      assertThatThrownBy(() -> in.readFully(ByteBuffer.allocate(1), -1))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void fileThatShrankUnderTheReaderIsDamageAndNoEndlessLoop() throws IOException {
    Path file = write("f", new byte[100]);
    try (RandomReadFile in = disk.openForRead(file)) {
      Files.write(file, new byte[50]);
      assertThatThrownBy(() -> in.readFully(ByteBuffer.allocate(60), 0))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void closedReaderRefuses() {
    Path file = write("f", new byte[100]);
    RandomReadFile in = disk.openForRead(file);
    in.close();
    in.close();
    assertThatThrownBy(() -> in.readFully(ByteBuffer.allocate(10), 0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void overwritesInPlaceAndNeverGrows() {
    Path file = write("f", new byte[100]);
    try (RandomWriteFile out = disk.openForWrite(file, 100)) {
      out.write(new byte[] {0, 1, 2, 3}, 1, 3, 97);
      out.write(new byte[] {9, 8}, 0, 2, 0);
      out.write(new byte[] {7}, 0, 1, 2);
      out.sync();
      assertThatThrownBy(() -> out.write(new byte[2], 0, 2, 99))
          .isInstanceOf(IllegalArgumentException.class);
    }
    byte[] content = readAll(file);
    assertThat(content).hasSize(100).startsWith(9, 8, 7, 0).endsWith(0, 1, 2, 3);
  }

  @Test
  void aFileThatWasOpenedToGrowGrowsWithoutHoles() {
    Path file = write("f", new byte[] {1, 2, 3, 4});
    try (RandomWriteFile out = disk.openToGrow(file)) {
      out.write(new byte[] {9, 8, 7}, 0, 3, 3);
      out.write(new byte[] {6}, 0, 1, 6);
      out.write(new byte[] {5}, 0, 1, 0);
      assertThatThrownBy(() -> out.write(new byte[1], 0, 1, 8))
          .isInstanceOf(IllegalArgumentException.class);
      out.sync();
    }
    assertThat(readAll(file)).containsExactly(5, 2, 3, 9, 8, 7, 6);
    assertThatThrownBy(() -> disk.openToGrow(directory.resolve("nowhere")))
        .isInstanceOf(StoreIoException.class);
  }

  @Test
  void shortFileIsNeitherMappedNorOpenedForMore() {
    Path file = write("f", new byte[100]);
    assertThatThrownBy(() -> disk.mapForRead(file, 101)).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> disk.mapForWrite(file, 101)).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> disk.openForWrite(file, 101)).isInstanceOf(CorruptionException.class);
    assertThat(disk.size(file)).isEqualTo(100);
  }

  @Test
  void createRefusesAnExistingName() {
    Path file = write("f", new byte[] {1});
    assertThatThrownBy(() -> disk.create(file)).isInstanceOf(StoreIoException.class);
    assertThat(readAll(file)).containsExactly(1);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void symbolicLinksAreNotFollowed() throws IOException {
    Path victim = write("victim", "secret".getBytes(StandardCharsets.UTF_8));
    Path link = Files.createSymbolicLink(directory.resolve("link"), victim);
    Path dangling =
        Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));

    assertThatThrownBy(() -> disk.create(link)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.create(dangling)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.openForRead(link)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.openForWrite(link, 1)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.mapForRead(link, 1)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.mapForWrite(link, 1)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.lock(directory, "link")).isInstanceOf(StoreIoException.class);
    assertThat(directory.resolve("nowhere")).doesNotExist();
    assertThat(victim).hasContent("secret");
  }

  @Test
  void namesAreListedSorted() {
    write("b", new byte[0]);
    write("c", new byte[0]);
    write("a", new byte[0]);
    assertThat(disk.list(directory)).containsExactly("a", "b", "c");
  }

  @Test
  void renameReplacesAndDeleteForgivesAbsence() {
    Path source = write("source", new byte[] {1});
    Path target = write("target", new byte[] {2});
    disk.rename(source, target);
    disk.syncDirectory(directory);
    assertThat(disk.exists(source)).isFalse();
    assertThat(readAll(target)).containsExactly(1);
    disk.delete(target);
    disk.delete(target);
    assertThat(disk.exists(target)).isFalse();
  }

  @Test
  void missingFilesAndDirectoriesAreNamed() {
    Path nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> disk.size(nowhere))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining("nowhere");
    assertThatThrownBy(() -> disk.list(nowhere)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.openForRead(nowhere)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.openForWrite(nowhere, 0)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> disk.syncDirectory(nowhere)).isInstanceOf(StoreIoException.class);
    assertThat(nowhere).doesNotExist();
  }

  @Test
  void spaceIsKnown() {
    assertThat(disk.usableBytes(directory)).isPositive();
  }

  /** The size of this one is reported as 0, as that of some mounts is. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void spaceThatIsNotKnownIsNotNone() {
    assertThat(disk.usableBytes(Path.of("/proc"))).isEqualTo(Long.MAX_VALUE);
  }

  private Path write(String name, byte[] content) {
    Path file = directory.resolve(name);
    try (AppendFile out = disk.create(file)) {
      out.append(content, 0, content.length);
    }
    return file;
  }

  private byte[] readAll(Path file) {
    try (RandomReadFile in = disk.openForRead(file)) {
      ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(in.size()));
      in.readFully(content, 0);
      return content.array();
    }
  }

  private static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(42).nextBytes(bytes);
    return bytes;
  }
}
