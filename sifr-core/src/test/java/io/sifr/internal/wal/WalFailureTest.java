package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sifr.config.LogAccess;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class WalFailureTest {
  @TempDir Path directory;
  private FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
  private WalTesting log = new WalTesting(files, Path.of(""));

  @BeforeEach
  void openDirectory() {
    files = new FaultyFileSystem(new DiskFileSystem());
    log = new WalTesting(files, directory);
  }

  private static Operation syncOf(LogAccess access) {
    return access == LogAccess.MAPPED ? Operation.FORCE : Operation.SYNC;
  }

  @ParameterizedTest
  @EnumSource
  void failedSyncPoisonsTheLogForGood(LogAccess access) {
    for (Fault fault : Fault.values()) {
      WalWriter writer = log.open(access, WalTesting.NEVER);
      long first = writer.activeSegment();
      log.append(writer, 10);
      writer.sync();
      long durable = log.lastSequence();
      log.append(writer, 10);
      files.failOnce(syncOf(access), FaultyFileSystem.ANY_PATH, 1, fault);
      Throwable cause = assertPoisoned(writer::sync);
      long syncs = files.calls(syncOf(access));
      int appended = log.appended().size();

      assertThat(assertPoisoned(writer::sync)).isSameAs(cause);
      assertThat(assertPoisoned(() -> writer.awaitDurable(durable + 1))).isSameAs(cause);
      assertThat(assertPoisoned(() -> log.append(writer, 10))).isSameAs(cause);
      writer.awaitDurable(durable); // was confirmed, and stays so
      writer.close();
      assertThat(files.calls(syncOf(access))).describedAs("synced again").isEqualTo(syncs);
      assertThat(log.appended()).hasSize(appended);
      assertThat(log.replay(first).batches())
          .isEqualTo(log.appended().subList(appended - 2, appended));
    }
  }

  private Throwable assertPoisoned(Runnable call) {
    StoreFailedException thrown = catchThrowableOfType(StoreFailedException.class, call::run);
    assertThat(thrown).isNotNull().hasMessageContaining(directory.toString());
    assertThat(thrown.getCause()).isInstanceOf(StoreIoException.class);
    return thrown.getCause();
  }

  @Test
  void allWhoWaitLearnOfTheFailure() throws InterruptedException {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      files.failForGood(Operation.FORCE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      for (int i = 0; i < 8; i++) {
        log.append(writer, 10);
      }
      List<FutureTask<?>> waiters = new ArrayList<>();
      for (int i = 1; i <= 8; i++) {
        long sequence = i;
        FutureTask<?> waiter = new FutureTask<>(() -> writer.awaitDurable(sequence), null);
        waiters.add(waiter);
        new Thread(waiter, "waiter").start();
      }
      for (FutureTask<?> waiter : waiters) {
        assertThatThrownBy(waiter::get)
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(StoreFailedException.class);
      }
      assertThat(files.calls(Operation.FORCE)).isEqualTo(1);
    }
  }

  @Test
  void failedWriteOfARecordPoisonsAndLeavesNoHalfRecord() {
    for (Fault fault : Fault.values()) {
      WalWriter writer = log.open(LogAccess.WRITTEN, WalTesting.NEVER);
      long first = log.append(writer, 10);
      int whole = log.appended().size();
      files.failOnce(Operation.WRITE, FaultyFileSystem.ANY_PATH, 1, fault);
      Throwable cause = assertPoisoned(() -> log.append(writer, 100));
      assertThat(assertPoisoned(() -> log.append(writer, 100))).isSameAs(cause);
      assertThat(assertPoisoned(writer::sync)).isSameAs(cause);
      writer.close();
      assertThat(log.replay(first).batches()).isEqualTo(log.appended().subList(whole - 1, whole));
    }
  }

  @Test
  void failureMetOutsideOfTheLogPoisonsItWithTheFirstCause() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 10);
      InternalError fault = new InternalError("a fault occurred in an unsafe memory access");
      assertThat(writer.poison(fault)).hasCause(fault);
      assertThat(writer.poison(new InternalError("another"))).cause().isSameAs(fault);
      assertThatThrownBy(() -> log.append(writer, 10))
          .isInstanceOf(StoreFailedException.class)
          .hasCause(fault);
      assertThatThrownBy(writer::sync).isInstanceOf(StoreFailedException.class).hasCause(fault);
    }
    assertThat(files.calls(Operation.FORCE)).isZero();
  }

  @Test
  void failedSealPoisonsAndLeavesNoFurtherSegment() {
    WalWriter writer = log.open(LogAccess.WRITTEN, WalTesting.NEVER);
    log.append(writer, 5000);
    files.failOnce(Operation.WRITE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    files.failOnce(Operation.CLOSE, path -> path.endsWith("000000000002.wal"), 1, Fault.EIO);
    Throwable cause = assertPoisoned(() -> log.append(writer, 5000));
    assertThat(assertPoisoned(writer::sync)).isSameAs(cause);
    assertThat(log.fileNames()).containsExactly("000000000001.wal");
    writer.close();
    assertThat(log.replay().batches()).isEqualTo(log.appended()).hasSize(1);
  }

  static Stream<Arguments> failuresOfACreation() {
    List<Arguments> failures = new ArrayList<>();
    for (LogAccess access : LogAccess.values()) {
      for (Operation step :
          List.of(
              Operation.CREATE,
              Operation.APPEND,
              Operation.SYNC,
              Operation.RENAME,
              Operation.SYNC_DIRECTORY)) {
        // Any other failed sync of the directory poisons the log.
        Fault broken = step == Operation.SYNC_DIRECTORY ? Fault.EMFILE : Fault.EIO;
        failures.add(Arguments.of(access, step, Fault.ENOSPC, StoreFullException.class));
        failures.add(Arguments.of(access, step, broken, StoreIoException.class));
      }
    }
    return failures.stream();
  }

  /** Nothing was stored into the segment, and another file is made in its place. */
  @ParameterizedTest
  @MethodSource("failuresOfACreation")
  void failureWhenASegmentIsCreatedStopsAppendsUntilItHasPassed(
      LogAccess access, Operation step, Fault fault, Class<? extends Throwable> thrown) {
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      log.append(writer, 5000);
      files.failForGood(step, FaultyFileSystem.ANY_PATH, 1, fault);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> log.append(writer, 5000))
            .isInstanceOf(thrown)
            .hasMessageContaining(directory.toString());
      }
      assertThat(log.fileNames()).containsExactly("000000000001.wal");
      log.append(writer, 10); // what fits is taken
      files.heal();
      writer.sync();
      log.append(writer, 5000);
      writer.sync();
      assertThat(log.replay().batches()).isEqualTo(log.appended()).hasSize(3);
    }
  }

  static Stream<Arguments> stepsOfRecycling() {
    return Stream.of(
        Arguments.of(LogAccess.MAPPED, Operation.FORCE),
        Arguments.of(LogAccess.WRITTEN, Operation.WRITE),
        Arguments.of(LogAccess.WRITTEN, Operation.SYNC),
        Arguments.of(LogAccess.MAPPED, Operation.RENAME),
        Arguments.of(LogAccess.MAPPED, Operation.SYNC_DIRECTORY));
  }

  @ParameterizedTest
  @MethodSource("stepsOfRecycling")
  void segmentWhoseRecyclingFailedForWantOfSpaceIsGivenUp(LogAccess access, Operation step) {
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      long released = log.append(writer, 5000);
      log.append(writer, 5000);
      writer.sync();
      writer.release(writer.activeSegment());
      files.failOnce(step, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
      assertThatThrownBy(() -> log.append(writer, 5000)).isInstanceOf(StoreFullException.class);
      assertThat(log.segment(released)).doesNotExist();
      assertThat(log.fileNames()).hasSize(1);
      log.append(writer, 5000);
      assertThat(log.replay(2).batches()).isEqualTo(log.appended().subList(1, 3));
    }
  }

  @Test
  void failureInTheBackgroundIsLeftToTheWriterToMeet() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      files.failForGood(Operation.CREATE, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
      log.append(writer, 5000);
      log.append(writer, 5000); // into the spare; the next one cannot be prepared
      assertThatThrownBy(() -> log.append(writer, 5000)).isInstanceOf(StoreFullException.class);
      files.heal();
      log.append(writer, 5000);
      assertThat(log.replay().batches()).isEqualTo(log.appended()).hasSize(3);
    }
  }

  /** Of the name of a segment no later sync of the directory can tell that it is durable. */
  @Test
  void failedSyncOfTheDirectoryPoisons() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 5000);
      files.failOnce(Operation.SYNC_DIRECTORY, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      Throwable cause = assertPoisoned(() -> log.append(writer, 5000));
      assertThat(assertPoisoned(writer::sync)).isSameAs(cause);
    }
  }

  @Test
  void failedLastSyncIsReportedByCloseAndEverythingIsClosed() throws IOException {
    WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT);
    log.append(writer, 10);
    files.failOnce(Operation.FORCE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    files.failOnce(Operation.CLOSE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    assertPoisoned(writer::close);
    assertThat(files.calls(Operation.MAP_FOR_WRITE)).isEqualTo(2);
    Path maps = Path.of("/proc/self/maps");
    if (Files.exists(maps)) {
      assertThat(Files.readString(maps)).doesNotContain(directory.toString());
    }
  }

  @Test
  void failedDeletionIsReportedAndHarmless() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 100_000);
      log.append(writer, 100_000);
      files.failOnce(Operation.DELETE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      assertThatThrownBy(() -> writer.release(Long.MAX_VALUE)).isInstanceOf(StoreIoException.class);
      assertThat(writer.segments()).hasSize(1);
      log.append(writer, 5000);
      assertThat(log.replay(writer.segments()[0]).batches()).isNotEmpty();
    }
  }

  @Test
  void poisonedLogRecyclesNothing() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      long old = log.append(writer, 5000);
      log.append(writer, 5000);
      files.failOnce(Operation.FORCE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      assertPoisoned(writer::sync);
      writer.release(writer.activeSegment());
      assertThat(log.segment(old)).doesNotExist();
    }
  }

  @Test
  void reusedFileNumberIsRefusedBeforeAnythingIsOverwritten() throws IOException {
    Path existing = Files.write(log.segment(1), new byte[] {1, 2, 3});
    assertThatThrownBy(() -> log.open(LogAccess.MAPPED, WalTesting.NEVER))
        .isInstanceOf(IllegalStateException.class);
    assertThat(existing).hasBinaryContent(new byte[] {1, 2, 3});
  }

  /**
   * Every call to the disk in a fixed workload fails once: then again, until the workload passes.
   */
  @ParameterizedTest
  @EnumSource
  void whateverCallFailsNothingConfirmedIsLostAndNothingIsTorn(LogAccess access)
      throws IOException {
    for (Operation operation : Operation.values()) {
      boolean struck = true;
      for (int nth = 1; struck; nth++) {
        files = new FaultyFileSystem(new DiskFileSystem());
        Path own = Files.createDirectory(directory.resolve(access + "-" + operation + "-" + nth));
        log = new WalTesting(files, own);
        struck = runWithFault(access, operation, nth);
      }
    }
  }

  private boolean runWithFault(LogAccess access, Operation operation, int nth) {
    files.failOnce(operation, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
    long confirmed = 0;
    long firstNeeded = 0;
    Throwable failed = null;
    try (WalWriter writer = log.open(access, WalTesting.DIRECT, 4096)) {
      for (int i = 0; i < 12; i++) {
        log.append(writer, 900 + i);
        if (i % 3 == 2) {
          writer.sync();
          confirmed = log.lastSequence();
        }
        if (i == 8) {
          firstNeeded = writer.segments()[1];
          writer.release(firstNeeded);
        }
      }
    } catch (SifrException e) {
      failed = e;
    }
    String place = operation + " number " + nth;
    files.heal();
    long calls = files.calls(operation);
    WalTesting.Replayed replayed = log.replay(firstNeeded);
    assertThat(replayed.result().lastSequence())
        .describedAs(place)
        .isGreaterThanOrEqualTo(confirmed);
    if (firstNeeded == 0) {
      assertThat(replayed.batches())
          .describedAs(place)
          .isEqualTo(log.appended().subList(0, replayed.batches().size()));
    } else {
      assertThat(log.appended())
          .describedAs(place)
          .containsSequence(replayed.batches().toArray(new WalTesting.Batch[0]));
    }
    boolean struck = calls >= nth;
    assertThat(failed != null && !struck).describedAs(place).isFalse();
    return struck;
  }
}
