package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of call can be made to fail, once or for good. */
class FaultyFileSystemTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FILE = DIRECTORY.resolve("file");

  private final FaultyFileSystem files =
      new FaultyFileSystem(CrashDisk.with(DIRECTORY).fileSystem());

  /** Makes one call of each kind; a name is given back, so that it can be run again. */
  private static void everyCall(StoreFileSystem files) {
    files.createDirectories(DIRECTORY);
    files.realPath(DIRECTORY);
    files.list(DIRECTORY);
    try (AppendFile out = files.create(FILE)) {
      out.append(new byte[10], 0, 10);
      out.sync();
    }
    files.exists(FILE);
    files.size(FILE);
    try (RandomReadFile in = files.openForRead(FILE)) {
      in.readFully(ByteBuffer.allocate(10), 0);
    }
    try (RandomWriteFile out = files.openForWrite(FILE, 10)) {
      out.write(new byte[10], 0, 10, 0);
    }
    files.mapForRead(FILE, 10).close();
    try (MappedRegion region = files.mapForWrite(FILE, 10)) {
      region.force(0, 10);
    }
    Path renamed = DIRECTORY.resolve("renamed");
    files.rename(FILE, renamed);
    Path linked = DIRECTORY.resolve("linked");
    assertThat(files.link(renamed, linked)).isTrue();
    files.delete(linked);
    files.delete(renamed);
    files.syncDirectory(DIRECTORY);
    files.usableBytes(DIRECTORY);
    try (DirectoryLock lock = files.lock(DIRECTORY, "LOCK")) {
      assertThat(lock).isNotNull();
    }
  }

  private void cleanUp() {
    files.delete(FILE);
    files.delete(DIRECTORY.resolve("renamed"));
    files.delete(DIRECTORY.resolve("linked"));
  }

  @ParameterizedTest
  @EnumSource
  void secondCallFailsOnce(Operation operation) {
    everyCall(files);
    int calls = (int) files.calls(operation);
    assertThat(calls).isPositive();
    files.failOnce(operation, FaultyFileSystem.ANY_PATH, calls + 1, Fault.EIO);
    everyCall(files);
    assertThatThrownBy(() -> everyCall(files))
        .isInstanceOf(StoreIoException.class)
        .isNotInstanceOf(StoreFullException.class)
        .satisfies(e -> assertThat(e.getMessage()).containsIgnoringCase(operation.name()));
    cleanUp();
    everyCall(files);
  }

  @ParameterizedTest
  @EnumSource
  void secondCallFailsForGood(Operation operation) {
    everyCall(files);
    int calls = (int) files.calls(operation);
    files.failForGood(operation, FaultyFileSystem.ANY_PATH, calls + 1, Fault.ENOSPC);
    everyCall(files);
    for (int round = 0; round < 3; round++) {
      assertThatThrownBy(() -> everyCall(files)).isInstanceOf(StoreFullException.class);
      files.heal();
      cleanUp();
      files.failForGood(operation, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
    }
    files.heal();
    everyCall(files);
  }

  @Test
  void callsOnOtherPathsGoOn() {
    files.failForGood(Operation.CREATE, FILE::equals, 1, Fault.EIO);
    files.create(DIRECTORY.resolve("other")).close();
    assertThatThrownBy(() -> files.create(FILE)).isInstanceOf(StoreIoException.class);
    assertThat(files.calls(Operation.CREATE)).isEqualTo(2);
    assertThat(files.exists(FILE)).isFalse();
  }

  @Test
  void failedAppendAndWriteHaveDoneHalf() {
    AppendFile out = files.create(FILE);
    files.failOnce(Operation.APPEND, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
    assertThatThrownBy(() -> out.append(new byte[] {1, 2, 3, 4}, 0, 4))
        .isInstanceOf(StoreFullException.class);
    assertThat(files.size(FILE)).isEqualTo(2);
    files.failOnce(Operation.WRITE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    try (RandomWriteFile overwriting = files.openForWrite(FILE, 2)) {
      assertThatThrownBy(() -> overwriting.write(new byte[] {8, 9}, 0, 2, 0))
          .isInstanceOf(StoreIoException.class);
    }
    try (RandomReadFile in = files.openForRead(FILE)) {
      ByteBuffer content = ByteBuffer.allocate(2);
      in.readFully(content, 0);
      assertThat(content.array()).containsExactly(8, 2);
    }
  }
}
