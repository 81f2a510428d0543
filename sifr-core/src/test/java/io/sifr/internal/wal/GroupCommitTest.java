package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFailedException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.HeldForces;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("disk")
class GroupCommitTest {
  @TempDir Path directory;

  @Test
  void allWhoWaitShareOneForceAndAppendsGoOnMeanwhile()
      throws InterruptedException, ExecutionException {
    HeldForces files = new HeldForces();
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 10);
      List<Future<?>> waiting = new ArrayList<>();
      waiting.add(inThread(() -> writer.awaitDurable(1)));
      files.begun().acquire();
      for (int i = 2; i <= 9; i++) {
        log.append(writer, 10); // beside the force that runs
        long sequence = log.lastSequence();
        waiting.add(inThread(() -> writer.awaitDurable(sequence)));
      }
      assertThat(files.begun().availablePermits()).isZero(); // nobody else forces
      files.mayGoOn().release();
      waiting.get(0).get();

      files.begun().acquire(); // one of the eight, for all of them
      files.mayGoOn().release();
      for (Future<?> waiter : waiting) {
        waiter.get();
      }
      assertThat(files.begun().availablePermits()).isZero();
      files.mayGoOn().release(100);
    }
  }

  /** Waking another thread would cost more than the call. */
  @ParameterizedTest
  @EnumSource
  void whoWaitsAloneSyncsInItsOwnThread(LogAccess access) {
    List<Thread> syncing = new ArrayList<>();
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public MappedRegion mapForWrite(Path file, long size) {
            return new ForwardingMappedRegion(super.mapForWrite(file, size)) {
              @Override
              public void force(int from, int length) {
                syncing.add(Thread.currentThread());
                super.force(from, length);
              }
            };
          }

          @Override
          public RandomWriteFile openForWrite(Path file, long size) {
            return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
              @Override
              public void sync() {
                syncing.add(Thread.currentThread());
                super.sync();
              }
            };
          }
        };
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      for (int i = 0; i < 3; i++) {
        log.append(writer, 10);
        writer.awaitDurable(log.lastSequence());
      }
    }
    assertThat(syncing).hasSize(3).containsOnly(Thread.currentThread());
  }

  private static Future<?> inThread(Runnable body) {
    FutureTask<?> task = new FutureTask<>(body, null);
    new Thread(task, "waiter").start();
    return task;
  }

  @Test
  void waiterThatIsInterruptedWaitsOnAndStaysInterrupted() throws Exception {
    HeldForces files = new HeldForces();
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 10);
      Future<?> leader = inThread(() -> writer.awaitDurable(1));
      files.begun().acquire();
      FutureTask<Boolean> interrupted =
          new FutureTask<>(
              () -> {
                Thread.currentThread().interrupt();
                writer.awaitDurable(1);
                return Thread.currentThread().isInterrupted();
              });
      new Thread(interrupted, "interrupted-waiter").start();
      files.mayGoOn().release(100);
      assertThat(interrupted.get()).isTrue();
      leader.get();
    }
  }

  /** The disk may say that all is well when it is asked again, though it has dropped the pages. */
  @Test
  void whoWaitsForASyncThatFailsFailsTooAndDoesNotSyncAgain() throws Exception {
    FaultyFileSystem disk = new FaultyFileSystem(new DiskFileSystem());
    HeldForces files = new HeldForces(disk);
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 10);
      disk.failOnce(Operation.FORCE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      long before = disk.calls(Operation.FORCE);
      Future<?> first = inThread(() -> writer.awaitDurable(1));
      files.begun().acquire();
      log.append(writer, 10);
      List<FutureTask<?>> others = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        FutureTask<?> other = new FutureTask<>(() -> writer.awaitDurable(2), null);
        others.add(other);
        Thread thread = new Thread(other, "other");
        thread.start();
        Waiting.until("it waits", () -> thread.getState() == Thread.State.WAITING);
      }
      files.mayGoOn().release(100);
      assertThatThrownBy(first::get).hasRootCauseMessage("Input/output error");
      for (FutureTask<?> other : others) {
        assertThatThrownBy(other::get)
            .hasCauseInstanceOf(StoreFailedException.class)
            .hasRootCauseMessage("Input/output error");
      }
      assertThat(disk.calls(Operation.FORCE) - before).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsForcedTwiceAndDurableWaitsForceNothing(LogAccess access) {
    FaultyFileSystem files = new FaultyFileSystem(new DiskFileSystem());
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      long before = syncs(files);
      log.append(writer, 10);
      log.append(writer, 10);
      writer.awaitDurable(1);
      assertThat(syncs(files) - before).isEqualTo(1);
      writer.awaitDurable(2);
      writer.awaitDurable(0);
      writer.sync();
      assertThat(syncs(files) - before).isEqualTo(1);
      log.append(writer, 10);
      writer.sync();
      assertThat(syncs(files) - before).isEqualTo(2);
    }
  }

  private static long syncs(FaultyFileSystem files) {
    return files.calls(Operation.FORCE) + files.calls(Operation.SYNC);
  }

  @Test
  void olderSegmentsAreForcedFirstAndReleasedOnesNotAtAll() {
    List<String> forced = new ArrayList<>();
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public MappedRegion mapForWrite(Path file, long size) {
            return new ForwardingMappedRegion(super.mapForWrite(file, size)) {
              @Override
              public void force(int from, int length) {
                forced.add(file.getFileName() + " " + from);
                super.force(from, length);
              }
            };
          }
        };
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 4) {
        log.append(writer, 4000);
      }
      writer.release(2);
      writer.sync();
      assertThat(forced)
          .containsExactly("000000000002.wal 32", "000000000003.wal 32", "000000000004.wal 32");
    }
  }

  @Test
  void manyThreadsSyncTheirOwnWritesAndAllAreThere() throws Exception {
    WalTesting log = new WalTesting(new DiskFileSystem(), directory);
    Object writeLock = new Object();
    int threads = 6;
    int writes = 100;
    List<Future<?>> running = new ArrayList<>();
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      for (int t = 0; t < threads; t++) {
        running.add(
            inThread(
                () -> {
                  for (int i = 0; i < writes; i++) {
                    long sequence;
                    synchronized (writeLock) {
                      log.append(writer, 200);
                      sequence = log.lastSequence();
                    }
                    writer.awaitDurable(sequence);
                  }
                }));
      }
      for (Future<?> thread : running) {
        thread.get();
      }
      assertThat(log.replay().batches()).hasSize(threads * writes).isEqualTo(log.appended());
    }
  }

  /**
   * A sync that falls between the seal of a segment and the beginning of the next may not mark the
   * next one's start as reached, because the seal itself is not synced yet.
   */
  @Test
  void syncWhileTheSealIsBeingWrittenDoesNotVouchForTheSeal() {
    List<IntConsumer> beforeSealWrite = new ArrayList<>();
    ForwardingFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public RandomWriteFile openForWrite(Path file, long size) {
            return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
              @Override
              public void write(byte[] source, int offset, int length, long position) {
                if (length == WalFormat.frameBytes(Long.BYTES, false)) {
                  beforeSealWrite.forEach(action -> action.accept(length));
                }
                super.write(source, offset, length, position);
              }
            };
          }
        };
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(LogAccess.WRITTEN, WalTesting.NEVER)) {
      beforeSealWrite.add(length -> writer.sync());
      log.append(writer, 7000);
      log.append(writer, 7000);
      int seal = 32 + (int) WalFormat.frameBytes(7000, false);
      log.lose(1, seal, seal + 8);
      WalTesting.Replayed replayed = log.replay();
      assertThat(replayed.batches()).isEqualTo(log.appended().subList(0, 1));
      assertThat(replayed.result().discardedRecords()).isEqualTo(1);

      writer.sync(); // now the seal is synced, and the next record tells so
      log.append(writer, 10);
      log.lose(1, seal, seal + 8);
      assertThatThrownBy(log::replay).isInstanceOf(CorruptionException.class);
    }
  }
}
