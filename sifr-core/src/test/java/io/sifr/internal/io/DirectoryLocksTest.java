package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreLockedException;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("disk")
class DirectoryLocksTest {
  private static final String LOCK = "LOCK";
  private static final long OWN_PROCESS_ID = ProcessHandle.current().pid();

  @TempDir Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();

  /** Locks the directory in its argument and tells what came of it; then waits to be killed. */
  static final class Locker {
    public static void main(String[] arguments) throws IOException {
      try {
        new DiskFileSystem().lock(Path.of(arguments[0]), LOCK);
        System.out.println("locked");
        System.in.read();
      } catch (StoreLockedException e) {
        System.out.println("held by " + e.holderProcessId());
      }
    }
  }

  @Test
  void secondLockInThisJvmIsRefusedUntilTheFirstIsGivenBack() {
    DirectoryLock lock = disk.lock(directory, LOCK);
    assertRefused(directory, OWN_PROCESS_ID);
    lock.close();
    DirectoryLock second = disk.lock(directory, LOCK);
    lock.close(); // again: must not give back what is somebody else's now
    assertRefused(directory, OWN_PROCESS_ID);
    second.close();
  }

  @Test
  void otherSpellingsAreTheSameDirectory() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    try (DirectoryLock lock = disk.lock(link, LOCK)) {
      assertThat(lock).isNotNull();
      assertRefused(real, OWN_PROCESS_ID);
      assertRefused(directory.resolve("real/../real"), OWN_PROCESS_ID);
    }
    disk.lock(real, LOCK).close();
  }

  @Test
  void lockOfAnotherProcessIsRefusedNamingItAndGoesWithTheProcess() {
    try (ChildJvm holder = ChildJvm.start(Locker.class, directory.toString())) {
      assertThat(holder.nextLine()).isEqualTo("locked");
      assertRefused(directory, holder.processId());
    }
    disk.lock(directory, LOCK).close();
  }

  @Test
  void refusedSecondOpenerDoesNotDropTheLockAgainstOtherProcesses() {
    try (DirectoryLock lock = disk.lock(directory, LOCK)) {
      assertThat(lock).isNotNull();
      assertRefused(directory, OWN_PROCESS_ID);
      assertOtherProcessIsRefused();
    }
  }

  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it leaves the lock file open")
  @Test
  void lockOfAnotherClassLoaderIsNotDroppedByAnAttempt() throws IOException {
    Path lockFile = Files.createFile(directory.resolve(LOCK));
    try (FileChannel foreign = FileChannel.open(lockFile, StandardOpenOption.WRITE);
        FileLock lock = foreign.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertRefused(directory, OWN_PROCESS_ID);
      try (ChildJvm other = ChildJvm.start(Locker.class, directory.toString())) {
        assertThat(other.nextLine()).isEqualTo("held by -1"); // the foreign holder wrote no id
      }
    }
  }

  @Test
  void lockForReadingKeepsOthersOutAndWritesNothing() throws IOException {
    for (boolean lockFileExists : new boolean[] {false, true}) {
      if (lockFileExists) {
        Files.writeString(directory.resolve(LOCK), "77");
      }
      try (DirectoryLock lock = disk.lockForReading(directory, LOCK)) {
        assertThat(lock).isNotNull();
        if (!lockFileExists) {
          assertThat(directory).isEmptyDirectory();
        }
        assertRefused(directory, OWN_PROCESS_ID);
        assertThatThrownBy(() -> disk.lockForReading(directory, LOCK))
            .isInstanceOf(StoreLockedException.class);
        if (lockFileExists) {
          try (ChildJvm other = ChildJvm.start(Locker.class, directory.toString())) {
            assertThat(other.nextLine()).isEqualTo("held by 77");
          }
          assertThat(directory.resolve(LOCK)).hasContent("77");
        }
      }
    }
    disk.lock(directory, LOCK).close();
  }

  @Test
  void lockForReadingIsRefusedWhereAnybodyHoldsTheLock() {
    try (DirectoryLock lock = disk.lock(directory, LOCK)) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> disk.lockForReading(directory, LOCK))
          .isInstanceOf(StoreLockedException.class);
      assertOtherProcessIsRefused();
    }
    try (ChildJvm holder = ChildJvm.start(Locker.class, directory.toString())) {
      assertThat(holder.nextLine()).isEqualTo("locked");
      assertThatThrownBy(() -> disk.lockForReading(directory, LOCK))
          .isInstanceOfSatisfying(
              StoreLockedException.class,
              e -> assertThat(e.holderProcessId()).isEqualTo(holder.processId()));
    }
    disk.lockForReading(directory, LOCK).close();
  }

  private void assertOtherProcessIsRefused() {
    try (ChildJvm other = ChildJvm.start(Locker.class, directory.toString())) {
      assertThat(other.nextLine()).isEqualTo("held by " + OWN_PROCESS_ID);
    }
  }

  private void assertRefused(Path spelling, long holder) {
    assertThatThrownBy(() -> disk.lock(spelling, LOCK))
        .isInstanceOfSatisfying(
            StoreLockedException.class,
            e -> {
              assertThat(e.directory()).isEqualTo(spelling);
              assertThat(e.holderProcessId()).isEqualTo(holder);
            });
  }
}
