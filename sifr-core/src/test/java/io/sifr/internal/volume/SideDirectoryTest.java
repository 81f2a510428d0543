package io.sifr.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Gate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names in another directory are durable when a sync says so. */
class SideDirectoryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final Path ROW = FileKind.SST.path(FAST, 7);

  private final AtomicInteger syncs = new AtomicInteger();
  private final AtomicBoolean fails = new AtomicBoolean();
  private final Gate gate = new Gate();
  private Runnable beforeCreate = () -> {};

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final Volumes volumes =
      new Volumes(
          disk(),
          DIRECTORY,
          new SideDirectory(disk(), Tier.FAST, FAST, new SideDirectory.Limits(1 << 20, 1, true)),
          null);

  private ForwardingFileSystem disk() {
    return new ForwardingFileSystem(disk.fileSystem()) {
      @Override
      public AppendFile create(Path file) {
        beforeCreate.run();
        return super.create(file);
      }

      @Override
      public void syncDirectory(Path directory) {
        if (directory.equals(FAST)) {
          syncs.incrementAndGet();
          gate.pass();
          if (fails.getAndSet(false)) {
            throw new StoreIoException(FAST, "sync", new IOException("broken"));
          }
        }
        super.syncDirectory(directory);
      }
    };
  }

  @BeforeEach
  void create() {
    disk.fileSystem().createDirectories(FAST);
    volumes.syncDirectory(DIRECTORY);
    syncs.set(0);
  }

  @Test
  void aNameIsSyncedOnce() {
    volumes.create(ROW).close();
    volumes.syncDirectory(DIRECTORY);
    volumes.syncDirectory(DIRECTORY);
    assertThat(syncs).hasValue(1);
    volumes.rename(ROW, FileKind.SST.path(FAST, 8));
    volumes.syncDirectory(FAST);
    assertThat(syncs).hasValue(2);
  }

  @Test
  void aSyncWhileANameIsCreatedIsNotTheLast() {
    beforeCreate = () -> volumes.syncDirectory(DIRECTORY);
    volumes.create(ROW).close();
    syncs.set(0);
    volumes.syncDirectory(DIRECTORY);
    assertThat(syncs).hasValue(1);
  }

  /** What another has failed for must not be taken for durable. */
  @Test
  void aSyncWaitsForAnother() throws InterruptedException {
    volumes.create(ROW).close();
    gate.close();
    fails.set(true);
    AtomicInteger failures = new AtomicInteger();
    Runnable sync =
        () -> {
          try {
            volumes.syncDirectory(DIRECTORY);
          } catch (StoreIoException e) {
            failures.incrementAndGet();
          }
        };
    Thread first = new Thread(sync);
    first.start();
    gate.awaitArrival();
    Thread second = new Thread(sync);
    second.start();
    while (second.getState() != Thread.State.BLOCKED
        && second.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
    gate.open();
    first.join();
    second.join();
    assertThat(failures).hasValue(2);
    assertThat(syncs).hasValue(1);
  }

  /** The device says that all is well the next time, and has lost them. */
  @Test
  void namesThatASyncHasFailedForAreNotDurable() {
    volumes.create(ROW).close();
    fails.set(true);
    assertThatThrownBy(() -> volumes.syncDirectory(DIRECTORY)).isInstanceOf(StoreIoException.class);
    assertThatThrownBy(() -> volumes.syncDirectory(FAST))
        .isInstanceOf(StoreIoException.class)
        .hasMessageContaining("broken");
    volumes.delete(ROW);
    volumes.create(FileKind.SST.path(FAST, 8)).close();
    volumes.syncDirectory(DIRECTORY);
  }

  /** A device that is gone stops nobody who needs nothing there. */
  @Test
  void aDeletedNameNeedsNoSync() {
    volumes.create(ROW).close();
    fails.set(true);
    assertThatThrownBy(() -> volumes.syncDirectory(DIRECTORY)).isInstanceOf(StoreIoException.class);
    volumes.delete(FileKind.SST.path(DIRECTORY, 7));
    fails.set(true);
    volumes.syncDirectory(DIRECTORY);
    assertThat(fails).isTrue();
  }

  @Test
  void whatIsInTheStoresDirectoryIsFoundWithoutALookAtTheOther() {
    Path own = FileKind.SST.path(DIRECTORY, 3);
    volumes.create(own).close();
    disk.fileSystem().rename(FAST, Path.of("/elsewhere"));
    assertThat(volumes.placeOf(own)).isEqualTo(own);
    assertThat(volumes.placeOf(FileKind.SST.path(DIRECTORY, 7))).isEqualTo(ROW);
  }
}
