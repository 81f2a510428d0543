package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.builder().writeBufferBytes(16 << 10).logSegmentBytes(8 << 10).build();

  private final StoreFileSystem disk = new NoSyncFileSystem(new DiskFileSystem());
  @TempDir Path directory;

  private StoreEngine open(Path store) {
    return Opening.open(disk, store, OPTIONS, StoreListener.NONE);
  }

  private static void put(StoreEngine engine, String database, int from, int to) {
    for (int i = from; i < to; i++) {
      byte[] bytes = ("entry " + i + ", of about eighty bytes ".repeat(2)).getBytes(UTF_8);
      engine.writes().put(engine.database(database), bytes, bytes, WriteOptions.BUFFERED);
    }
  }

  private static long entries(StoreEngine engine, String database) {
    return engine.database(database).view().get().forest().byPriority().stream()
        .mapToLong(tree -> tree.entries())
        .sum();
  }

  private Path crash(StoreEngine engine, String name) throws IOException {
    engine.awaitIdle();
    Path target = directory.resolve(name);
    copy(engine.directory(), target);
    return target;
  }

  private static void copy(Path source, Path target) throws IOException {
    Files.createDirectory(target);
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.filter(file -> !file.endsWith("LOCK")).toList()) {
        try {
          Files.copy(file, target.resolve(file.getFileName()));
        } catch (NoSuchFileException e) {
          // The store is idle: what vanishes is a file that nothing refers to any more, or not yet.
          assertThat(file.toString()).doesNotEndWith(".manifest");
        }
      }
    }
  }

  @Test
  void whatIsInTheForestAlreadyIsNotReplayed() throws IOException {
    StoreEngine engine = open(directory.resolve("store"));
    engine.openOrCreateDatabase("other");
    put(engine, "other", 0, 3);
    put(engine, "default", 0, 20);
    engine.flush();
    put(engine, "default", 20, 25);
    Path crashed = crash(engine, "crashed");
    engine.close();
    try (StoreEngine recovered = open(crashed)) {
      assertThat(entries(recovered, "default")).isEqualTo(25);
      assertThat(entries(recovered, "other")).isEqualTo(3);
      List<Long> maxSequences =
          recovered.database("default").view().get().forest().byPriority().stream()
              .map(tree -> tree.ssts().get(0).meta().maxSequence())
              .toList();
      assertThat(maxSequences).hasSize(2).isSortedAccordingTo((a, b) -> Long.compare(b, a));
    }
  }

  @Test
  void sequencesOfLostWritesAreNotGivenAgain() throws IOException {
    StoreEngine engine = open(directory.resolve("store"));
    put(engine, "default", 0, 20);
    Path crashed = crash(engine, "crashed");
    put(engine, "default", 20, 30); // lost, from the crashed copy's point of view
    long lost = 30;
    engine.close();
    try (StoreEngine recovered = open(crashed)) {
      put(recovered, "default", 50, 51);
      recovered.flush();
      assertThat(recovered.database("default").view().get().forest().flushedSequence())
          .isGreaterThan(lost + 1);
    }
  }

  /** Recovery fails at each call of a kind in turn; the next one finds everything nevertheless. */
  @Test
  void anInterruptedRecoveryIsRepeated() throws IOException {
    StoreEngine engine = open(directory.resolve("store"));
    engine.openOrCreateDatabase("other");
    put(engine, "other", 0, 3);
    put(engine, "default", 0, 300);
    Path crashed = crash(engine, "crashed");
    engine.close();
    FaultyFileSystem faulty = new FaultyFileSystem(disk);
    int failures = 0;
    for (Operation operation :
        new Operation[] {
          Operation.CREATE, Operation.APPEND, Operation.WRITE, Operation.SYNC, Operation.DELETE
        }) {
      for (int nth = 1; nth < 4; nth++) {
        Path copy = directory.resolve(operation + "-" + nth);
        copy(crashed, copy);
        faulty.failForGood(operation, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
        failures += failsToOpen(faulty, copy) ? 1 : 0;
        faulty.heal();
        assertHoldsEverything(copy);
      }
    }
    assertThat(failures).isGreaterThan(8);
  }

  private void assertHoldsEverything(Path store) {
    try (StoreEngine recovered = open(store)) {
      assertThat(entries(recovered, "default")).isEqualTo(300);
      assertThat(entries(recovered, "other")).isEqualTo(3);
      recovered.awaitIdle();
      long ssts =
          Stream.of("default", "other")
              .mapToLong(name -> recovered.database(name).view().get().forest().ssts().size())
              .sum();
      // What was merged meanwhile goes when nobody can be reading it any more.
      Waiting.until(
          "only the SSTs of the forests are left",
          () -> disk.list(store).stream().filter(name -> name.endsWith(".sst")).count() == ssts);
    }
  }

  private static boolean failsToOpen(FaultyFileSystem disk, Path store) {
    try {
      StoreEngine opened = Opening.open(disk, store, OPTIONS, StoreListener.NONE);
      disk.heal();
      opened.close();
      return false;
    } catch (StoreIoException e) {
      return true;
    }
  }
}
