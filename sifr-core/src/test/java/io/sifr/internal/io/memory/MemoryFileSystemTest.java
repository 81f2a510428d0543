package io.sifr.internal.io.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file system in memory does beside a disk, and where it differs from one. */
class MemoryFileSystemTest {
  private static final int BYTES = 3_000_000;

  private final MemoryFileSystem files = new MemoryFileSystem(new DiskFileSystem());
  private final Path here = files.directory().resolve("here");

  @TempDir Path directory;

  private static void write(StoreFileSystem files, Path path, int bytes) {
    try (AppendFile file = files.create(path)) {
      for (int i = 0; i < bytes; i += 1000) {
        file.append(ByteBuffer.allocate(Math.min(1000, bytes - i)).putInt(0, i));
      }
    }
  }

  private int intAt(int position) {
    try (RandomReadFile file = files.openForRead(here)) {
      ByteBuffer four = ByteBuffer.allocate(4);
      file.readFully(four, position);
      return four.getInt(0);
    }
  }

  @Test
  void itsDirectoryIsNowhereOnTheDisk() {
    write(files, here, 10);
    assertThat(files.list(files.directory())).containsExactly("here");
    assertThat(files.directory()).doesNotExist().isAbsolute();
    assertThat(files.directory().toString()).contains("in-memory");
    assertThat(new MemoryFileSystem(new DiskFileSystem()).directory())
        .isNotEqualTo(files.directory());
  }

  @Test
  void betweenItAndTheDiskFilesAreOnlyCopied() throws IOException {
    Path there = directory.resolve("there");
    write(files, here, BYTES);
    assertThat(files.link(here, there)).isFalse();
    assertThatThrownBy(() -> files.rename(here, there)).isInstanceOf(StoreIoException.class);
    assertThat(there).doesNotExist();

    int unused = new FileCopy(files, () -> {}).copy(here, there, BYTES, BYTES);
    assertThat(Files.size(there)).isEqualTo(BYTES);
    Path back = files.directory().resolve("back");
    assertThat(files.link(there, back)).isFalse();
    assertThatThrownBy(() -> files.rename(there, back)).isInstanceOf(StoreIoException.class);
    assertThat(files.exists(back)).isFalse();
    assertThat(new FileCopy(files, () -> {}).copy(there, back, BYTES, BYTES)).isEqualTo(unused);
  }

  @Test
  void whatIsMappedToBeReadStaysAsTheFileGrows() {
    write(files, here, 1_000_000);
    try (MappedRegion region = files.mapForRead(here, 1_000_000);
        RandomWriteFile growing = files.openToGrow(here)) {
      growing.write(new byte[] {0, 0, 0, 7}, 0, 4, 1_000_000);
      growing.write(new byte[BYTES], 0, BYTES, 1_000_004);
      assertThat(region.buffer().capacity()).isEqualTo(1_000_000);
      for (int i = 0; i < 1_000_000; i += 1000) {
        assertThat(region.buffer().getInt(i)).isEqualTo(i);
        assertThat(intAt(i)).isEqualTo(i);
      }
      assertThat(intAt(1_000_000)).isEqualTo(7);
      try (MappedRegion whole = files.mapForRead(here, 1_000_004 + BYTES)) {
        assertThat(whole.buffer().getInt(1_000_000)).isEqualTo(7);
      }
    }
  }

  @Test
  void whatIsMappedToBeWrittenIsInTheFileAlsoWhenItHasGrown() {
    write(files, here, 2000);
    try (MappedRegion region = files.mapForWrite(here, 2000);
        RandomWriteFile growing = files.openToGrow(here)) {
      growing.write(new byte[BYTES], 0, BYTES, 2000);
      region.buffer().putInt(0, 42);
      assertThat(intAt(0)).isEqualTo(42);
      assertThat(intAt(1000)).isEqualTo(1000);
      assertThat(intAt(2000)).isZero();
      assertThatThrownBy(() -> files.mapForRead(here, 2000 + BYTES))
          .isInstanceOf(UnsupportedOperationException.class);
    }
    files.mapForRead(here, 2000 + BYTES).close();
    assertThat(intAt(0)).isEqualTo(42);
  }

  @Test
  void spaceIsPartOfTheHeapLessTheFiles() {
    long before = files.usableBytes(files.directory());
    assertThat(before).isBetween(1L, Runtime.getRuntime().maxMemory() - 1);
    write(files, here, BYTES);
    assertThat(files.link(here, here.resolveSibling("second"))).isTrue();
    assertThat(before - files.usableBytes(files.directory()))
        .isBetween((long) BYTES, BYTES * 5L / 4);
    files.delete(here);
    files.delete(here.resolveSibling("second"));
    assertThat(files.usableBytes(files.directory())).isEqualTo(before);
  }

  @Test
  void theDirectoryStays() {
    files.delete(files.directory());
    assertThat(files.isDirectory(files.directory())).isTrue();
    write(files, here, 10);
    assertThatThrownBy(() -> files.delete(files.directory())).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> files.createDirectories(files.directory().resolve("below")))
        .isInstanceOf(StoreIoException.class);
  }

  /** Fills a small heap by one file, and prints "done" or what was wrong. */
  static final class FullHeap {
    private static final int PIECE = 700_001;

    private FullHeap() {}

    public static void main(String[] args) {
      MemoryFileSystem files = new MemoryFileSystem(new DiskFileSystem());
      Path file = files.directory().resolve("file");
      Path spare = files.directory().resolve("spare");
      write(files, spare, 4 * BYTES);
      byte[] piece = new byte[PIECE];
      int pieces = 0;
      try (AppendFile out = files.create(file)) {
        try {
          while (true) {
            Arrays.fill(piece, (byte) pieces);
            out.append(piece, 0, PIECE);
            pieces++;
          }
        } catch (StoreFullException e) {
          files.delete(spare);
        }
        assertThat(out.position()).isEqualTo((long) pieces * PIECE);
        assertThat(files.size(file)).isEqualTo((long) pieces * PIECE);
        assertThatThrownBy(() -> files.mapForRead(file, files.size(file)))
            .isInstanceOf(StoreFullException.class);
        out.append(piece, 0, PIECE);
      }
      byte[] expected = new byte[PIECE];
      try (RandomReadFile in = files.openForRead(file)) {
        for (int i = 0; i <= pieces; i++) {
          in.readFully(ByteBuffer.wrap(piece), (long) i * PIECE);
          Arrays.fill(expected, (byte) i);
          assertThat(Arrays.equals(piece, expected)).as("piece %d", i).isTrue();
        }
      }
      System.out.println(pieces > 20 ? "done" : "only " + pieces);
    }
  }

  @Test
  @Tag("process")
  void aFileIsAsItWasWhenTheHeapIsFull() {
    try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m", "-XX:+UseSerialGC"), FullHeap.class)) {
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }
}
