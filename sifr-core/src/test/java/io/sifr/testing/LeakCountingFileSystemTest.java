package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LeakCountingFileSystemTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FILE = DIRECTORY.resolve("file");

  private final FaultyFileSystem disk =
      new FaultyFileSystem(CrashDisk.with(DIRECTORY).fileSystem());
  private final LeakCountingFileSystem files = new LeakCountingFileSystem(disk);

  @Test
  void eachKindIsNamedUntilItIsClosed() throws Exception {
    files.create(FILE).close();
    List<Supplier<AutoCloseable>> kinds =
        List.of(
            () -> files.create(DIRECTORY.resolve("new")),
            () -> files.openForRead(FILE),
            () -> files.openForWrite(FILE, 0),
            () -> files.mapForRead(FILE, 0),
            () -> files.mapForWrite(FILE, 0),
            () -> files.lock(DIRECTORY, "LOCK"));
    for (Supplier<AutoCloseable> kind : kinds) {
      files.assertNothingOpen();
      AutoCloseable handle = kind.get();
      AutoCloseable other = files.openForRead(FILE);
      assertThat(files.openCount()).isEqualTo(2);
      other.close();
      other.close();
      assertThatThrownBy(files::assertNothingOpen)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("1 still open")
          .hasMessageContaining(DIRECTORY.toString())
          .hasMessageContaining("LeakCountingFileSystemTest");
      handle.close();
      handle.close();
    }
    assertThatCode(files::assertNothingOpen).doesNotThrowAnyException();
  }

  @Test
  void whatCouldNotBeOpenedIsNotOpenAndWhatCouldNotBeClosedIsNotEither() {
    assertThatThrownBy(() -> files.openForRead(FILE)).isInstanceOf(StoreIoException.class);
    files.create(FILE).close();
    disk.failForGood(Operation.CLOSE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    assertThatThrownBy(() -> files.openForRead(FILE).close()).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> files.lock(DIRECTORY, "LOCK").close())
        .isInstanceOf(StoreIoException.class);
    files.assertNothingOpen();
  }
}
