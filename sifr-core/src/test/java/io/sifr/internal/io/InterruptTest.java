package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Each operation finishes under an interrupted thread, and the thread stays interrupted. */
@Tag("disk")
class InterruptTest {
  private static final int SIZE = 100_000;
  private static final int ROUNDS = 100;

  @TempDir Path directory;

  private final DiskFileSystem disk = new DiskFileSystem();
  private int files;

  @TestFactory
  List<DynamicTest> operationsFinishWhenInterruptedBefore() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Operation operation : operations()) {
      tests.add(
          DynamicTest.dynamicTest(
              operation.name(),
              () -> {
                Thread.currentThread().interrupt();
                try {
                  operation.body().call();
                } finally {
                  assertThat(Thread.interrupted()).isTrue();
                }
              }));
    }
    return tests;
  }

  @TestFactory
  List<DynamicTest> operationsFinishWhenInterruptedAtAnyMoment() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Operation operation : operations()) {
      tests.add(
          DynamicTest.dynamicTest(
              operation.name(),
              () ->
                  underFire(
                      () -> {
                        for (int i = 0; i < ROUNDS; i++) {
                          operation.body().call();
                        }
                        return true;
                      })));
    }
    return tests;
  }

  @Test
  void openFilesOfAllKindsOutliveInterruptedUsers() throws Exception {
    Path written = newFile();
    try (AppendFile append = disk.create(directory.resolve("append"));
        AppendFile direct = disk.createDirect(directory.resolve("direct"));
        RandomWriteFile write = disk.openForWrite(written, SIZE);
        MappedRegion region = disk.mapForWrite(written, SIZE)) {
      underFire(
          () -> {
            for (int i = 0; i < ROUNDS; i++) {
              append.append(new byte[1000], 0, 1000);
              direct.append(new byte[100_000], 0, 100_000);
              write.write(new byte[1000], 0, 1000, 0);
              region.buffer().put(i, (byte) i);
              append.sync();
              direct.sync();
              write.sync();
              region.force(0, ROUNDS);
            }
            return true;
          });
      assertThat(append.position()).isEqualTo(1000L * ROUNDS);
      assertThat(direct.position()).isEqualTo(100_000L * ROUNDS);
    }
    assertThat(disk.size(directory.resolve("direct"))).isEqualTo(100_000L * ROUNDS);
    assertThat(disk.size(directory.resolve("append"))).isEqualTo(1000L * ROUNDS);
  }

  @Test
  void readersGoOnWhileAnotherReaderOfTheSameFileIsInterrupted() throws Exception {
    try (RandomReadFile file = disk.openForRead(newFile())) {
      AtomicBoolean done = new AtomicBoolean();
      FutureTask<Long> calm =
          new FutureTask<>(
              () -> {
                long reads = 0;
                do {
                  readAll(file);
                  reads++;
                } while (!done.get());
                return reads;
              });
      new Thread(calm, "calm-reader").start();
      underFire(
          () -> {
            for (int i = 0; i < 10 * ROUNDS; i++) {
              readAll(file);
            }
            return true;
          });
      done.set(true);
      assertThat(calm.get()).isPositive();
    }
  }

  /** Runs the body on a thread that is interrupted again and again until it ends. */
  private static void underFire(Callable<Boolean> body)
      throws InterruptedException, ExecutionException {
    FutureTask<Boolean> task = new FutureTask<>(body);
    Thread thread = new Thread(task, "interrupted");
    thread.start();
    while (!task.isDone()) {
      thread.interrupt();
      for (int i = 0; i < 2000; i++) {
        Thread.onSpinWait(); // leaves it the time to finish something
      }
    }
    thread.join();
    assertThat(task.get()).isTrue();
  }

  private record Operation(String name, Callable<?> body) {}

  private List<Operation> operations() {
    Path file = newFile();
    RandomReadFile opened = disk.openForRead(file);
    return List.of(
        new Operation("createDirectories", () -> run(() -> disk.createDirectories(nextPath()))),
        new Operation("list", () -> disk.list(directory)),
        new Operation("exists", () -> assertThat(disk.exists(file)).isTrue()),
        new Operation("size", () -> assertThat(disk.size(file)).isEqualTo(SIZE)),
        new Operation("create, append, sync", this::newFile),
        new Operation(
            "openForRead, read",
            () -> {
              try (RandomReadFile in = disk.openForRead(file)) {
                return readAll(in);
              }
            }),
        new Operation("read", () -> readAll(opened)),
        new Operation(
            "openForWrite, write",
            () -> {
              try (RandomWriteFile out = disk.openForWrite(file, SIZE)) {
                out.write(new byte[SIZE], 0, SIZE, 0);
                return out;
              }
            }),
        new Operation(
            "mapForRead",
            () -> {
              try (MappedRegion region = disk.mapForRead(file, SIZE)) {
                return region.buffer().get(SIZE - 1);
              }
            }),
        new Operation(
            "mapForWrite",
            () -> {
              try (MappedRegion region = disk.mapForWrite(file, SIZE)) {
                region.buffer().put(SIZE - 1, (byte) 0);
                region.force(0, SIZE);
                return region;
              }
            }),
        new Operation(
            "rename, delete",
            () -> {
              Path source = newFile();
              Path target = nextPath();
              disk.rename(source, target);
              disk.delete(target);
              return target;
            }),
        new Operation("syncDirectory", () -> run(() -> disk.syncDirectory(directory))),
        new Operation("usableBytes", () -> disk.usableBytes(directory)),
        new Operation(
            "lock",
            () -> {
              try (DirectoryLock lock = disk.lock(directory, "LOCK")) {
                return lock;
              }
            }));
  }

  private static boolean run(Runnable body) {
    body.run();
    return true;
  }

  private Path nextPath() {
    return directory.resolve("f" + files++);
  }

  private Path newFile() {
    Path file = nextPath();
    try (AppendFile out = disk.create(file)) {
      out.append(new byte[SIZE], 0, SIZE);
      out.sync();
    }
    return file;
  }

  private static ByteBuffer readAll(RandomReadFile file) {
    ByteBuffer target = ByteBuffer.allocate(SIZE);
    file.readFully(target, 0);
    return target;
  }
}
