package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.Descriptors.Uninterrupted;
import io.sifr.testing.DirectFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are written past the page cache. */
class DirectAppendTest {
  private static final int PAGE = StoreFileSystem.DIRECT_ALIGNMENT;
  private static final int PIECE = DiskDirectAppendFile.PIECE_BYTES;

  @TempDir(factory = DirectFiles.UnderTarget.class)
  Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();

  private Path file() {
    return directory.resolve("file");
  }

  private static byte[] randomBytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** A file whose direct writes go through what the opener opens. */
  private AppendFile openedBy(Uninterrupted.Operation<FileChannel> opener) throws IOException {
    return new DiskDirectAppendFile(file(), new RandomAccessFile(file().toFile(), "rw"), opener);
  }

  private FileChannel openForWrites() throws IOException {
    return FileChannel.open(file(), StandardOpenOption.WRITE);
  }

  /** Its memory is somebody else's by then. */
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there are no direct writes there")
  @Test
  void oneThatIsClosedTakesNothing() {
    AppendFile file = disk.createDirect(file());
    file.append(new byte[PAGE + 1], 0, PAGE + 1);
    file.close();
    for (Runnable late : List.<Runnable>of(() -> file.append(new byte[1], 0, 1), file::sync)) {
      assertThatThrownBy(late::run)
          .isInstanceOf(StoreIoException.class)
          .hasMessageContaining("the file is closed");
    }
    assertThat(disk.size(file())).isEqualTo(PAGE + 1);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        PAGE - 1,
        PAGE,
        PAGE + 1,
        PIECE - PAGE,
        PIECE - 1,
        PIECE,
        PIECE + 1,
        PIECE + PAGE,
        2 * PIECE - PAGE + 1,
        3 * PIECE + 5
      })
  void fileHasExactlyWhatWasAppended(int length) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] content = randomBytes(random, length);
    try (AppendFile out = disk.createDirect(file())) {
      for (int done = 0; done < length; ) {
        int part = Math.min(length - done, 1 + random.nextInt(1 << (1 + random.nextInt(20))));
        if (random.nextBoolean()) {
          out.append(content, done, part);
        } else {
          ByteBuffer source = ByteBuffer.allocateDirect(part + 2).position(1);
          source.put(content, done, part).flip().position(1);
          out.append(source);
          assertThat(source.position()).isEqualTo(part + 1);
        }
        done += part;
        assertThat(out.position()).isEqualTo(done);
        if (random.nextInt(4) == 0) {
          out.sync();
          assertThat(Files.readAllBytes(file()))
              .describedAs("seed %d", seed)
              .isEqualTo(Arrays.copyOf(content, done));
        }
      }
      out.sync();
      assertThat(out.position()).isEqualTo(length);
    }
    assertThat(Files.readAllBytes(file())).describedAs("seed %d", seed).isEqualTo(content);
  }

  @Test
  void whatWasNotSyncedIsInTheFileWhenItIsClosed() throws IOException {
    byte[] content = randomBytes(new Random(4), 2 * PAGE + 5);
    try (AppendFile out = disk.createDirect(file())) {
      out.append(content, 0, PAGE);
      out.sync();
      out.append(content, PAGE, PAGE + 5);
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(content);
  }

  @Test
  void itsPagesAreNotInThePageCache() throws IOException {
    DirectFiles.require(directory);
    int pages = 3 * PIECE / PAGE;
    try (AppendFile out = disk.createDirect(file())) {
      out.append(randomBytes(new Random(1), pages * PAGE), 0, pages * PAGE);
      out.sync();
    }
    assertThat(DirectFiles.pagesInMemory(disk, file())).isZero();
    Path other = directory.resolve("other");
    try (AppendFile out = disk.create(other)) {
      out.append(new byte[pages * PAGE], 0, pages * PAGE);
      out.sync();
    }
    assertThat(DirectFiles.pagesInMemory(disk, other))
        .as("what is seen of others")
        .isEqualTo(pages);
  }

  /** The first write is aborted as if the interrupt had come in the midst of it. */
  @Test
  void writesGoOnDirectlyAfterAnInterruptHasClosedTheChannel() throws IOException {
    List<FileChannel> opened = new ArrayList<>();
    byte[] content = randomBytes(new Random(2), 3 * PIECE);
    try (AppendFile out =
        openedBy(
            () -> {
              FileChannel channel = openForWrites();
              opened.add(channel);
              if (opened.size() == 1) {
                Thread.currentThread().interrupt();
              }
              return channel;
            })) {
      out.append(content, 0, PIECE);
      assertThat(opened).hasSize(1).noneMatch(FileChannel::isOpen);
      out.append(content, PIECE, 2 * PIECE);
      assertThat(opened).hasSize(2);
      assertThat(opened.get(1).isOpen()).isTrue();
      out.sync();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(opened).noneMatch(FileChannel::isOpen);
    assertThat(Files.readAllBytes(file())).isEqualTo(content);
  }

  static Stream<Uninterrupted.Operation<FileChannel>> refusals() {
    return Stream.of(
        () -> {
          throw new IOException("Invalid argument");
        },
        () -> {
          throw new UnsupportedOperationException("no direct writes");
        });
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void fileSystemThatRefusesDirectWritesIsWrittenAsOthers(
      Uninterrupted.Operation<FileChannel> refused) throws IOException {
    writeThrough(refused);
  }

  /** It opens the file, and each write fails. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void fileSystemThatRefusesThemLateIsWrittenAsOthers() throws IOException {
    writeThrough(() -> FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE));
  }

  private void writeThrough(Uninterrupted.Operation<FileChannel> opener) throws IOException {
    AtomicInteger asked = new AtomicInteger();
    byte[] content = randomBytes(new Random(3), 2 * PIECE + 2 * PAGE + 7);
    try (AppendFile out =
        openedBy(
            () -> {
              asked.incrementAndGet();
              return opener.run();
            })) {
      out.append(content, 0, content.length);
      out.sync();
    }
    assertThat(asked).hasValue(1);
    assertThat(Files.readAllBytes(file())).isEqualTo(content);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fullDiskIsSaidToBeFull() throws IOException {
    try (AppendFile out =
        new DiskDirectAppendFile(
            Path.of("/dev/full"),
            new RandomAccessFile("/dev/full", "rw"),
            () -> FileChannel.open(Path.of("/dev/full"), Set.of(StandardOpenOption.WRITE)))) {
      assertThatThrownBy(() -> out.append(new byte[PIECE], 0, PIECE))
          .isInstanceOf(StoreFullException.class);
    }
  }

  @Test
  void memoryIsGivenBackOnce() {
    long before = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    AppendFile out = disk.createDirect(file());
    out.append(new byte[PAGE], 0, PAGE);
    out.close();
    out.close();
    assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isEqualTo(before);
  }

  @Test
  void existingFileIsRefusedAndLeftAsItIs() throws IOException {
    Files.write(file(), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> disk.createDirect(file())).isInstanceOf(FileNotOpenedException.class);
    assertThat(Files.readAllBytes(file())).containsExactly(1, 2, 3);
  }
}
