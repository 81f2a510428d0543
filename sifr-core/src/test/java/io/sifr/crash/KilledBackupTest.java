package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that backs up a store is killed at random moments. All points that are left are whole,
 * one of them is restored and is what the store held, and the next process goes on.
 *
 * <p>More kills: {@code -Dsifr.backup.kills=50}; another seed: {@code -Dsifr.backup.seed=…}.
 */
@Tag("process")
@Tag("disk")
class KilledBackupTest {
  private static final int KILLS = Integer.getInteger("sifr.backup.kills", 3);
  private static final long SEED = Long.getLong("sifr.backup.seed", System.nanoTime());

  /** Some points are made in that time. */
  private static final int LONGEST_MILLIS = 1500;

  @TempDir Path directory;

  @Test
  void leavesPointsThatAreWhole() throws IOException, InterruptedException {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    Path store = directory.resolve("store");
    Path place = directory.resolve("backups");
    Backups backups = Backups.in(place);
    for (int kill = 1; kill <= KILLS; kill++) {
      try (ChildJvm child =
          ChildJvm.start(
              List.of("-Xmx256m"), BackingUpChild.class, store.toString(), place.toString())) {
        assertThat(child.nextLine()).isEqualTo("point");
        Thread.sleep(random.nextInt(LONGEST_MILLIS));
        assertThat(child.nextLine()).as("it is still running").isNotNull();
        Thread.sleep(random.nextInt(50));
        child.kill();
      }
      List<Long> numbers = backups.numbers();
      assertThat(numbers).isNotEmpty();
      for (long number : numbers) {
        backups.verify(number, Backups.Progress.NONE);
      }
      long chosen = numbers.get(random.nextInt(numbers.size()));
      Path restored = directory.resolve("restored-" + kill);
      backups.restore(chosen, restored);
      assertHoldsWhatWasWritten(restored);
    }
    try (Store opened = Store.open(store, LoadingChild.options())) {
      backups.create(opened);
    }
    for (long number : backups.numbers()) {
      backups.delete(number);
    }
    try (Stream<Path> left = Files.walk(place)) {
      assertThat(left.filter(Files::isRegularFile).map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("BACKUP", "LOCK");
    }
  }

  private static void assertHoldsWhatWasWritten(Path directory) {
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
    Map<Integer, Long> actual = new TreeMap<>();
    long count;
    try (Store store = Store.open(directory, LoadingChild.options())) {
      count = BackingUpChild.count(store);
      for (String name : store.databaseNames()) {
        try (Cursor cursor = store.database(name).cursor()) {
          while (cursor.next()) {
            if (!Arrays.equals(cursor.key(), BackingUpChild.COUNT)) {
              long operation = OperationStream.operationOf(cursor.value());
              actual.put(OperationStream.slot(operation), operation);
            }
          }
        }
      }
    }
    assertThat(count).isPositive();
    assertThat(actual).isEqualTo(OperationStream.stateAfter(count));
  }
}
