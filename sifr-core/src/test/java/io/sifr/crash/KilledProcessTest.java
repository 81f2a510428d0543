package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that loads a store is killed at random moments. Each time the store must hold the state
 * after the first k operations, k at least what was acknowledged, batches whole. More rounds:
 * {@code -Dsifr.kill.rounds=200}.
 */
@Tag("process")
@Tag("disk")
@Tag("jvm")
class KilledProcessTest {
  private static final int ROUNDS = Integer.getInteger("sifr.kill.rounds", 4);
  private static final long SEED = Long.getLong("sifr.kill.seed", 20);

  private static final int LONGEST_LOAD_MILLIS = 1000;

  /** Operations that may be lost or done beyond the last acknowledged one: those of one group. */
  private static final int IN_FLIGHT = OperationStream.GROUP;

  @Test
  void everyAcknowledgedWriteIsThereAfterEachKill(@TempDir Path directory) throws Exception {
    Random random = new Random(SEED);
    Path store = directory.resolve("store");
    Path count = directory.resolve("acknowledged");
    long done = 0;
    for (int round = 0; round < ROUNDS; round++) {
      loadAndKill(store, count, done, random);
      long acknowledged = acknowledged(count);
      String description = "seed " + SEED + ", round " + round + ", acknowledged " + acknowledged;
      assertThat(StoreCheck.run(store, CheckProgress.NONE).findings()).as(description).isEmpty();
      long recovered = compare(store, acknowledged, description);
      assertThat(StoreCheck.run(store, CheckProgress.NONE).findings()).as(description).isEmpty();
      // The next round begins with a whole group; the rest of the group in flight is made up for.
      done = finishGroup(store, recovered);
    }
    assertThat(done).isPositive();
  }

  private static void loadAndKill(Path store, Path count, long first, Random random)
      throws IOException, InterruptedException {
    Files.deleteIfExists(count);
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                LoadingChild.class.getName(),
                store.toString(),
                count.toString(),
                Long.toString(first))
            .redirectErrorStream(true)
            .redirectOutput(new File(count + ".out"))
            .start();
    while (child.isAlive() && acknowledged(count) <= first) {
      Thread.onSpinWait();
    }
    long pause = random.nextInt(LONGEST_LOAD_MILLIS);
    boolean ended = child.waitFor(pause, TimeUnit.MILLISECONDS);
    child.destroyForcibly().waitFor();
    assertThat(ended)
        .as(() -> "the child ended by itself: " + read(Path.of(count + ".out")))
        .isFalse();
  }

  private static long acknowledged(Path count) throws IOException {
    return Files.exists(count) && Files.size(count) == Long.BYTES
        ? ByteBuffer.wrap(Files.readAllBytes(count)).getLong()
        : 0;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Compares the store with the states it may be in, and returns how many operations it holds. */
  private static long compare(Path directory, long acknowledged, String description) {
    Map<Integer, Long> actual = new TreeMap<>();
    try (Store store = Store.open(directory, LoadingChild.options())) {
      if (store.databaseNames().contains(OperationStream.SECOND_DATABASE)) {
        collect(store, Store.DEFAULT_DATABASE, actual);
        collect(store, OperationStream.SECOND_DATABASE, actual);
      }
    }
    Map<Integer, Long> state = OperationStream.stateAfter(acknowledged);
    for (long count = acknowledged; count <= acknowledged + IN_FLIGHT; count++) {
      if (state.equals(actual) && isWhole(count)) {
        return count;
      }
      if (OperationStream.isDelete(count)) {
        state.remove(OperationStream.slot(count));
      } else {
        state.put(OperationStream.slot(count), count);
      }
    }
    throw new AssertionError(description + ": the store holds no state it may hold");
  }

  private static boolean isWhole(long count) {
    return count % OperationStream.GROUP == 0 || !OperationStream.isBatch(count);
  }

  private static void collect(Store store, String name, Map<Integer, Long> into) {
    try (Cursor cursor = store.database(name).cursor()) {
      while (cursor.next()) {
        long operation = OperationStream.operationOf(cursor.value());
        int slot = OperationStream.slot(operation);
        assertThat(cursor.key()).isEqualTo(OperationStream.key(slot));
        assertThat(OperationStream.inSecond(slot))
            .isEqualTo(name.equals(OperationStream.SECOND_DATABASE));
        into.put(slot, operation);
      }
    }
  }

  private static long finishGroup(Path directory, long recovered) {
    long first = recovered / OperationStream.GROUP * OperationStream.GROUP;
    if (first == recovered) {
      return recovered;
    }
    try (Store store = Store.open(directory, LoadingChild.options())) {
      OperationStream.run(store, first, io.sifr.config.Durability.BUFFERED, () -> {});
    }
    return first + OperationStream.GROUP;
  }
}
