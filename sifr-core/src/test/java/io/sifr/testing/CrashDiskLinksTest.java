package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A second name of a file is as durable as its directory, whatever happens to the first one. */
class CrashDiskLinksTest {
  private static final Path ONE = Path.of("/one");
  private static final Path TWO = Path.of("/two");
  private static final Path FIRST = ONE.resolve("first");
  private static final Path SECOND = TWO.resolve("second");

  private final CrashDisk disk = CrashDisk.with(ONE);
  private final StoreFileSystem files = disk.fileSystem();

  @BeforeEach
  void make() {
    files.createDirectories(TWO);
    try (AppendFile file = files.create(FIRST)) {
      file.append(new byte[] {1, 2, 3}, 0, 3);
      file.sync();
    }
    disk.syncAll();
    assertThat(files.link(FIRST, SECOND)).isTrue();
  }

  private static boolean holdsIt(StoreFileSystem in, Path file) {
    try (RandomReadFile open = in.openForRead(file)) {
      ByteBuffer content = ByteBuffer.allocate(3);
      open.readFully(content, 0);
      return Arrays.equals(content.array(), new byte[] {1, 2, 3});
    }
  }

  @Test
  void bothNamesStandForTheSame() {
    assertThat(disk.usedBytes()).isEqualTo(3);
    assertThatThrownBy(() -> files.link(FIRST, SECOND)).isInstanceOf(StoreIoException.class);
    files.delete(FIRST);
    assertThat(disk.usedBytes()).isEqualTo(3);
    assertThat(holdsIt(files, SECOND)).isTrue();
    files.delete(SECOND);
    assertThat(disk.usedBytes()).isZero();
  }

  @Test
  void aNameThatWasNotSyncedMayBeLost() {
    int kept = 0;
    for (int i = 0; i < 100; i++) {
      StoreFileSystem left = disk.crash(new Random(i)).fileSystem();
      assertThat(holdsIt(left, FIRST)).isTrue();
      kept += left.exists(SECOND) ? 1 : 0;
    }
    assertThat(kept).isBetween(1, 99);
  }

  @Test
  void oneThatWasSyncedStaysWithoutTheFirst() {
    files.syncDirectory(TWO);
    files.delete(FIRST);
    files.syncDirectory(ONE);
    for (int i = 0; i < 100; i++) {
      CrashDisk left = disk.crash(new Random(i));
      assertThat(left.fileSystem().exists(FIRST)).isFalse();
      assertThat(holdsIt(left.fileSystem(), SECOND)).isTrue();
      assertThat(left.usedBytes()).isEqualTo(3);
    }
  }
}
