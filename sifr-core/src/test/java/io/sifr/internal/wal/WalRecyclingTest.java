package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("disk")
class WalRecyclingTest {
  @TempDir Path directory;
  private FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
  private WalTesting log = new WalTesting(files, Path.of(""));

  @BeforeEach
  void openDirectory() {
    files = new FaultyFileSystem(new DiskFileSystem());
    log = new WalTesting(files, directory);
  }

  @ParameterizedTest
  @EnumSource
  void recycledSegmentNeverShowsWhatItHeldBefore(LogAccess access) {
    try (WalWriter writer = log.open(access, WalTesting.DIRECT)) {
      for (int round = 0; round < 30; round++) {
        int before = log.appended().size();
        long segment = writer.activeSegment();
        while (writer.activeSegment() == segment) {
          log.append(writer, 100); // the same sizes: old frames lie where new ones will end
        }
        writer.release(writer.activeSegment());
        long firstNeeded = writer.activeSegment();
        List<WalTesting.Batch> replayed = log.replay(firstNeeded).batches();
        assertThat(replayed).hasSize(1);
        assertThat(log.appended()).endsWith(replayed.get(0));
        assertThat(log.appended().size()).isGreaterThan(before);
      }
      assertThat(files.calls(Operation.CREATE)).isLessThanOrEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource
  void paddingOfARecycledSegmentIsZerosAgain(LogAccess access) {
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      log.append(writer, 7000);
      log.append(writer, 7000);
      writer.release(writer.activeSegment());
      long recycled = log.append(writer, 4000 + 1); // 3 bytes of padding
      assertThat(Arrays.copyOfRange(log.read(recycled), 32 + 28 + 4001, 32 + 28 + 4004))
          .containsOnly(0);
      assertThat(log.read(recycled)[32 + 28 + 4004 + 1]).isNotZero(); // as before
    }
  }

  @Test
  void releasedFilesAreReusedUpToABoundAndDeletedBeyond() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 20) {
        log.append(writer, 1000);
      }
      long[] segments = writer.segments();
      assertThat(log.fileNames()).hasSize(20);
      writer.release(segments[10]);
      assertThat(writer.segments()).containsExactly(Arrays.copyOfRange(segments, 10, 20));
      assertThat(log.fileNames()).hasSize(10 + 4);
      writer.release(Long.MAX_VALUE);
      assertThat(writer.segments()).containsExactly(segments[19]);
      assertThat(log.fileNames()).hasSize(1 + 4);

      long created = files.calls(Operation.CREATE);
      while (writer.segments().length < 5) {
        log.append(writer, 1000);
      }
      assertThat(files.calls(Operation.CREATE)).isEqualTo(created);
      assertThat(log.replay(segments[19]).result().lastSequence()).isEqualTo(log.lastSequence());
    }
  }

  /** As on Windows while they are open. */
  @ParameterizedTest
  @EnumSource
  void segmentsThatCannotBeRenamedAreReplacedByNewOnes(LogAccess access) {
    files.failForGood(Operation.RENAME, path -> path.toString().endsWith(".wal"), 1, Fault.EIO);
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      while (log.appended().size() < 100) {
        log.append(writer, 1000);
        writer.release(writer.activeSegment());
      }
      assertThat(files.calls(Operation.CREATE)).isGreaterThan(10);
      List<WalTesting.Batch> replayed = log.replay(writer.activeSegment()).batches();
      assertThat(replayed).isNotEmpty();
      assertThat(log.appended()).endsWith(replayed.toArray(WalTesting.Batch[]::new));
    }
  }

  @Test
  void segmentOfALargeRecordIsDeletedOnRelease() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      long large = log.append(writer, 100_000);
      log.append(writer, 7000);
      writer.release(writer.activeSegment());
      assertThat(log.segment(large)).doesNotExist();
    }
  }

  @Test
  void largeRecordDiscardsTheSpareWhoseNumberIsNowTooSmall() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      log.append(writer, 100);
      log.append(writer, 100_000);
      log.append(writer, 7000);
      assertThat(writer.segments()).isSorted().hasSize(3);
      assertThat(log.segment(2)).doesNotExist(); // was the spare
      assertThat(log.replay().batches()).isEqualTo(log.appended());
    }
  }

  static List<Executor> uselessExecutors() {
    Executor rejecting =
        task -> {
          throw new RejectedExecutionException("shut down");
        };
    Executor failing =
        task -> {
          throw new IllegalStateException("broken");
        };
    return List.of(rejecting, failing, WalTesting.NEVER);
  }

  @ParameterizedTest
  @MethodSource("uselessExecutors")
  void writerPreparesSegmentsItselfWhenTheExecutorDoesNot(Executor useless) {
    try (WalWriter writer = log.open(LogAccess.MAPPED, useless)) {
      for (int i = 0; i < 100; i++) {
        log.append(writer, 500);
      }
      assertThat(log.replay().batches()).isEqualTo(log.appended());
    }
  }

  @Test
  void lateAndRepeatedBackgroundWorkDoesNoHarm() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    try (WalWriter writer = log.open(LogAccess.MAPPED, tasks::add)) {
      for (int i = 0; i < 100; i++) {
        log.append(writer, 500);
        if (i % 30 == 29) {
          new ArrayList<>(tasks).forEach(Runnable::run);
        }
      }
      new ArrayList<>(tasks).forEach(Runnable::run);
      assertThat(log.replay().batches()).isEqualTo(log.appended());
      assertThat(log.fileNames()).hasSize(writer.segments().length + 1);
    }
    int before = log.fileNames().size();
    tasks.forEach(Runnable::run); // after the log was closed
    assertThat(log.fileNames()).hasSize(before);
  }

  /** A spare for a segment that is full already would be a step of growth too early. */
  @Test
  void growingLogTakesNoMoreSpaceWhenItsBackgroundIsLate() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    try (WalWriter writer = log.open(LogAccess.MAPPED, tasks::add, 1 << 20)) {
      for (int i = 0; i < 300; i++) {
        int before = writer.segments().length;
        log.append(writer, 500);
        if (writer.segments().length > before) {
          tasks.forEach(Runnable::run);
          tasks.clear();
          assertThat(log.fileNames()).hasSize(writer.segments().length);
        }
      }
      assertThat(writer.segments()).hasSizeGreaterThan(3);
    }
  }

  @Test
  void writerWithASpareTouchesTheDiskOnlyInTheBackground() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    try (WalWriter writer = log.open(LogAccess.MAPPED, tasks::add)) {
      tasks.remove().run();
      long creations = files.calls(Operation.CREATE);
      long syncs = files.calls(Operation.SYNC_DIRECTORY) + files.calls(Operation.FORCE);
      while (writer.segments().length < 2) {
        log.append(writer, 500);
      }
      assertThat(files.calls(Operation.CREATE)).isEqualTo(creations);
      assertThat(files.calls(Operation.SYNC_DIRECTORY) + files.calls(Operation.FORCE))
          .isEqualTo(syncs);
      assertThat(tasks).hasSize(1);
    }
  }

  @Test
  void whatACrashLeftOfASegmentBeingFilledIsDeleted() throws IOException {
    Path unfinished = Files.write(directory.resolve("000000000007.wal.new"), new byte[5000]);
    Path stranger = Files.write(directory.resolve("notes.new"), new byte[1]);
    assertThat(log.replay().result().segments()).isEmpty();
    log.open(LogAccess.MAPPED, WalTesting.NEVER).close();
    assertThat(unfinished).doesNotExist();
    assertThat(stranger).exists();
  }
}
