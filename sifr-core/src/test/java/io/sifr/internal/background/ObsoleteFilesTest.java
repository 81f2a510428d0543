package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.resources.SharedThreads;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObsoleteFilesTest {
  private final ReadEpochs epochs = new ReadEpochs();
  @TempDir Path directory;
  private WrittenSsts ssts;
  private ObsoleteFiles obsoleteFiles;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    BackgroundThreads threads = new BackgroundThreads(new SharedThreads(StoreOptions.DEFAULT));
    threads.stop(); // nothing is tried again but by the test
    obsoleteFiles = new ObsoleteFiles(ssts.fileSystem(), directory, epochs, threads);
  }

  private Path file(Sst sst) {
    return FileKind.SST.path(directory, sst.number());
  }

  @Test
  void aFileGoesWhenNobodyReadsIt() {
    Sst sst = ssts.write("a1 b2");
    obsoleteFiles.retire(List.of(sst));
    assertThat(file(sst)).exists();
    assertThat(obsoleteFiles.reclaim()).isFalse();
    assertThat(file(sst)).doesNotExist();
    assertThat(sst.tryPin()).isFalse();
  }

  @Test
  void aPointReadThatIsUnderWayKeepsIt() {
    Sst sst = ssts.write("a1 b2");
    int ticket = epochs.enter();
    obsoleteFiles.retire(List.of(sst));
    assertThat(obsoleteFiles.reclaim()).isTrue();
    assertThat(file(sst)).exists();
    assertThat(WrittenSsts.draw(WrittenSsts.read(sst))).isEqualTo("a1 b2");
    epochs.exit(ticket);
    obsoleteFiles.awaitReaders();
    assertThat(obsoleteFiles.reclaim()).isFalse();
    assertThat(file(sst)).doesNotExist();
  }

  /** Whoever has found the disk full goes on with the space of a file that a read lets go. */
  @Test
  void aThreadThatNeedsSpaceWaitsForPointReads() throws Exception {
    Sst sst = ssts.write("a1 b2");
    int ticket = epochs.enter();
    obsoleteFiles.retire(List.of(sst));
    FutureTask<Boolean> needsSpace =
        new FutureTask<>(
            () -> {
              obsoleteFiles.reclaimForSpace();
              return Files.exists(file(sst));
            });
    Thread thread = new Thread(needsSpace);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING
        && thread.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
    epochs.exit(ticket);
    assertThat(needsSpace.get()).isFalse();
  }

  /** It may be the caller's own: a function of the caller's that is called within a read. */
  @Test
  void aThreadThatNeedsSpaceDoesNotWaitForEver() {
    Sst sst = ssts.write("a1 b2");
    int ticket = epochs.enter();
    obsoleteFiles.retire(List.of(sst));
    obsoleteFiles.reclaimForSpace();
    assertThat(file(sst)).exists();
    epochs.exit(ticket);
    assertThat(obsoleteFiles.reclaim()).isFalse();
    assertThat(file(sst)).doesNotExist();
  }

  @Test
  void aCursorKeepsItsOwnSstAndNoOther() {
    Sst pinned = ssts.write("a1 b2");
    Sst other = ssts.write("c1 d2");
    assertThat(pinned.tryPin()).isTrue();
    obsoleteFiles.retire(List.of(pinned, other));
    assertThat(obsoleteFiles.reclaim()).isFalse();
    assertThat(file(pinned)).exists();
    assertThat(file(other)).doesNotExist();
    pinned.unpin();
    assertThat(obsoleteFiles.reclaim()).isFalse();
    assertThat(file(pinned)).doesNotExist();
  }
}
