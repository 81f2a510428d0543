package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.testing.ChildJvm;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process writes as fast as it can, and another one copies its store from outside; the writer is
 * killed in the middle of some copies. Each copy is sound, and has a state that the store has had:
 * all operations that were acknowledged before, and up to one that came later.
 *
 * <p>More copies: {@code -Dsifr.copies=50}; another seed: {@code -Dsifr.copies.seed=…}.
 */
@Tag("process")
@Tag("disk")
class CopiesFromOutsideTest {
  private static final int COPIES = Integer.getInteger("sifr.copies", 5);
  private static final long SEED = Long.getLong("sifr.copies.seed", System.nanoTime());
  private static final int KILL_ONE_IN = 3;
  private static final int MOST_MILLIS_BEFORE = 400;

  @TempDir Path directory;

  @Test
  void haveAllThatWasAcknowledgedBefore() throws IOException {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    Path store = directory.resolve("store");
    Path counted = directory.resolve("count");
    Backups backups = Backups.in(directory.resolve("backups"));
    int kills = 0;
    long first = 0;
    int copy = 0;
    while (copy < COPIES) {
      try (ChildJvm child = start(store, counted, first)) {
        long begin = first;
        Waiting.until("it writes", () -> acknowledged(counted) > begin + 1000);
        boolean isKilled = false;
        while (!isKilled && copy < COPIES) {
          pause(random.nextInt(MOST_MILLIS_BEFORE));
          isKilled = copy % KILL_ONE_IN == KILL_ONE_IN - 1;
          kills += isKilled ? 1 : 0;
          copy(store, counted, backups, isKilled ? killer(child, random) : () -> {}, copy);
          copy++;
        }
      }
      long known = acknowledged(counted);
      first = operationsIn(store, known, known + OperationStream.GROUP);
      first -= first % OperationStream.GROUP; // the child does all of a group
    }
    System.out.printf("%d copies, %d writers killed, %d operations%n", copy, kills, first);
    assertThat(first).isPositive();
  }

  private static ChildJvm start(Path store, Path counted, long first) throws IOException {
    Files.deleteIfExists(counted);
    return ChildJvm.start(
        List.of("-Xmx256m"),
        LoadingChild.class,
        store.toString(),
        counted.toString(),
        Long.toString(first));
  }

  private static long acknowledged(Path counted) {
    try {
      return Files.exists(counted) && Files.size(counted) == Long.BYTES
          ? ByteBuffer.wrap(Files.readAllBytes(counted)).getLong()
          : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Runnable killer(ChildJvm child, Random random) {
    int millis = random.nextInt(60);
    return () -> {
      pause(millis);
      child.kill();
    };
  }

  /** Makes a copy, as a point or a checkpoint, while something is done. */
  private void copy(Path store, Path counted, Backups backups, Runnable meanwhile, int number)
      throws IOException {
    Path target = directory.resolve("copy" + number);
    long atLeast = acknowledged(counted);
    Thread other = new Thread(meanwhile);
    boolean isPoint = number % 2 == 0;
    other.start();
    try (Store reader = Store.builder(store).options(LoadingChild.options()).openReadOnly()) {
      if (isPoint) {
        backups.create(reader);
      } else {
        reader.checkpoint(target);
      }
    }
    join(other);
    long atMost = acknowledged(counted) + OperationStream.GROUP;
    if (isPoint) {
      List<Long> numbers = backups.numbers();
      backups.verify(numbers.get(numbers.size() - 1), Backups.Progress.NONE);
      backups.restore(numbers.get(numbers.size() - 1), target);
    }
    assertThat(StoreCheck.run(target, CheckProgress.NONE).findings()).isEmpty();
    assertThat(operationsIn(target, atLeast, atMost)).as("copy %d", number).isPositive();
    Store.destroy(target);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** How many operations a store has: all the first ones, and no other; batches as a whole. */
  private static long operationsIn(Path directory, long atLeast, long atMost) {
    Map<Integer, Long> actual = new TreeMap<>();
    long last = -1;
    try (Store store = Store.open(directory, LoadingChild.options())) {
      for (String name : store.databaseNames()) {
        try (Cursor cursor = store.database(name).cursor()) {
          while (cursor.next()) {
            long operation = OperationStream.operationOf(cursor.value());
            actual.put(OperationStream.slot(operation), operation);
            last = Math.max(last, operation);
          }
        }
      }
    }
    long first = Math.max(atLeast, last + 1);
    long most = Math.min(atMost, first + 2 * OperationStream.GROUP);
    for (long count = first; count <= most; count++) {
      boolean isWhole = count % OperationStream.GROUP == 0 || !OperationStream.isBatch(count);
      if (isWhole && OperationStream.stateAfter(count).equals(actual)) {
        return count;
      }
    }
    throw new AssertionError(
        "the last operation is " + last + ", expected " + atLeast + " to " + atMost);
  }
}
