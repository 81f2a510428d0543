package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.WriteBatch;
import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.testing.HeapStorage;
import io.sifr.testing.HeapStorage.Fault;
import io.sifr.testing.HeapStorage.Operation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Backups in a storage whose calls fail, have an effect all the same, or have it late; and that
 * others use at the same time.
 *
 * <p>Another seed: {@code -Dsifr.backup.seed=…}; more points: {@code -Dsifr.backup.points=200}.
 */
class BackupsInAStorageTest {
  private static final long SEED = Long.getLong("sifr.backup.seed", System.nanoTime());
  private static final int POINTS = Integer.getInteger("sifr.backup.points", 20);
  private static final List<Fault> FAULTS = List.of(Fault.values());
  private static final Duration RENEW = Duration.ofMinutes(1);
  private static final Duration DEAD = Duration.ofMinutes(30);

  @TempDir Path directory;

  private final Random random = new Random(SEED);
  private final AtomicLong seconds = new AtomicLong();
  private final InstantSource clock = () -> Instant.EPOCH.plusSeconds(seconds.get());
  private final HeapStorage storage = new HeapStorage(clock, random);
  private final AtomicInteger restores = new AtomicInteger();

  private Backups backups() {
    return TestBackups.in(storage, RENEW, DEAD, clock);
  }

  private Path source() {
    return directory.resolve("store");
  }

  /** A store that a thread writes to; what it holds follows from a number, which it holds, too. */
  private static final class Load implements AutoCloseable {
    private static final int KEYS = 700;
    private static final byte[] COUNT = {0};

    final Store store;
    final AtomicInteger acknowledged = new AtomicInteger();
    final AtomicInteger begun = new AtomicInteger();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread writer;

    Load(Path directory) {
      this.store = SmallStores.open(directory);
      run(1);
      this.writer = new Thread(() -> run(Integer.MAX_VALUE));
      writer.start();
    }

    private void run(int most) {
      Database database = store.database();
      for (int i = 0; i < most && !stopped.get(); i++) {
        int operation = begun.incrementAndGet();
        WriteBatch batch = new WriteBatch();
        byte[] key = SmallStores.key(operation * 31 % KEYS);
        if (operation % 7 == 0) {
          batch.delete(database, key);
        } else {
          batch.put(database, key, SmallStores.value(operation, 1));
        }
        batch.put(database, COUNT, ByteBuffer.allocate(Integer.BYTES).putInt(operation).array());
        store.write(batch);
        acknowledged.set(operation);
      }
    }

    static Map<String, String> stateAfter(int operations) {
      Map<String, String> state = new TreeMap<>();
      for (int operation = 1; operation <= operations; operation++) {
        String key = SmallStores.text(SmallStores.key(operation * 31 % KEYS));
        if (operation % 7 == 0) {
          state.remove(key);
        } else {
          state.put(key, SmallStores.text(SmallStores.value(operation, 1)));
        }
      }
      return state;
    }

    void stop() throws InterruptedException {
      stopped.set(true);
      writer.join();
    }

    @Override
    public void close() throws InterruptedException {
      stop();
      store.close();
    }
  }

  /** Between which of the operations a point was taken. */
  private record Taken(int least, int most) {}

  /** What a point holds is what the store held at one moment of the call. */
  private void assertExact(long number, Taken taken) {
    Path target = directory.resolve("restored-" + restores.incrementAndGet());
    backups().restore(number, target);
    assertThat(StoreCheck.run(target, CheckProgress.NONE).findings()).isEmpty();
    try (Store store = SmallStores.open(target)) {
      Map<String, String> content = new TreeMap<>();
      int count = 0;
      try (Cursor cursor = store.database().cursor()) {
        while (cursor.next()) {
          if (cursor.key().length == 1) {
            count = ByteBuffer.wrap(cursor.value()).getInt();
          } else {
            content.put(SmallStores.text(cursor.key()), SmallStores.text(cursor.value()));
          }
        }
      }
      assertThat(count).isBetween(taken.least(), taken.most());
      assertThat(content).isEqualTo(Load.stateAfter(count));
    }
  }

  /** Nothing but the mark, and what keeps the largest number. */
  private void assertNothingElseIsLeft(Backups backups) {
    storage.settle();
    seconds.addAndGet(DEAD.toSeconds() + 1);
    backups.deleteUnfinished();
    backups.numbers().forEach(backups::delete);
    assertThat(storage.names()).hasSize(2).contains("BACKUP");
    assertThat(storage.names().get(1)).startsWith("numbers/");
  }

  @Test
  void pointsUnderLoadOfWhichHalfAreInterrupted() throws InterruptedException {
    System.out.println("seed " + SEED);
    Map<Long, Taken> made = new TreeMap<>();
    Backups backups = backups();
    int calls = 40;
    int failed = 0;
    try (Load load = new Load(source())) {
      while (made.size() < POINTS || failed < POINTS) {
        seconds.addAndGet(random.nextInt(600));
        List<Long> before = made.isEmpty() && storage.names().isEmpty() ? List.of() : numbers();
        boolean interrupts = random.nextBoolean();
        if (interrupts) {
          draw(calls);
        }
        int callsBefore = storage.calls().size();
        int least = load.acknowledged.get();
        Backups.@Nullable Point point = null;
        SifrException failure = null;
        try {
          point = backups.create(load.store);
        } catch (SifrException e) {
          failure = e;
        }
        Taken taken = new Taken(least, load.begun.get());
        if (storage.heal()) {
          failed++;
        } else {
          calls = storage.calls().size() - callsBefore;
        }
        if (point != null) {
          made.put(point.number(), taken);
          assertThat(numbers()).contains(point.number());
        } else {
          assertThat(failure).isNotNull();
          expectNoPoint(failure, before, made, taken);
        }
        sometimesDelete(backups, made);
      }
      load.stop();
      storage.settle();
      assertThat(numbers()).containsExactlyElementsOf(made.keySet());
      made.forEach(this::assertExact);
    }
    System.out.println(storage.calls().size() + " calls, " + failed + " failed");
    assertNothingElseIsLeft(backups);
  }

  /** Names that begin as that of the mark are not ours. */
  @ParameterizedTest
  @ValueSource(strings = {"BACKUPS/photo.jpg", "BACKUP-2024.tar.gz", "BACKUP.tmp"})
  void objectsOfOthersStay(String name) {
    storage.damage(name, new byte[] {1});
    try (Store store = SmallStores.open(source())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backups().create(store))
          .withMessageContaining(name);
      assertThat(storage.names()).containsExactly(name);
      assertThatIllegalArgumentException().isThrownBy(() -> backups().list());
      assertThatIllegalArgumentException().isThrownBy(() -> backups().deleteUnfinished());
      assertThat(storage.names()).containsExactly(name);
      storage.lose(name);
      backups().create(store);
      storage.damage(name, new byte[] {1}); // somebody puts it later
      backups().create(store);
      backups().delete(1);
      seconds.addAndGet(DEAD.toSeconds() + 1);
      backups().deleteUnfinished();
      assertThat(storage.names()).contains(name);
      backups().verify(2, Backups.Progress.NONE);
    }
  }

  /** One of the calls of a creation: any, or the put of its list. */
  private void draw(int calls) {
    Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
    if (random.nextInt(4) == 0) {
      storage.failOnce((operation, name) -> name.endsWith("/POINT"), 0, fault);
    } else if (random.nextInt(4) == 0) {
      storage.failOnce(
          (operation, name) -> operation == Operation.PUT && name.endsWith("/POINT"), 0, fault);
    } else {
      storage.failOnce((operation, name) -> true, random.nextInt(calls), fault);
    }
  }

  private List<Long> numbers() {
    return backups().numbers();
  }

  /** Whatever comes late: there is no point of a call that has failed, unless it has said so. */
  private void expectNoPoint(
      SifrException failure, List<Long> before, Map<Long, Taken> made, Taken taken) {
    storage.settle();
    if (storage.names().isEmpty() || !storage.names().contains("BACKUP")) {
      return;
    }
    List<Long> more = new ArrayList<>(numbers());
    more.removeAll(before);
    if (!more.isEmpty()) {
      assertThat(failure).hasMessageContaining("not known whether there is point");
      made.put(more.get(0), taken);
      assertThat(more).hasSize(1);
    }
  }

  private void sometimesDelete(Backups backups, Map<Long, Taken> made) {
    if (made.size() > 3 && random.nextInt(10) == 0) {
      List<Long> numbers = List.copyOf(made.keySet());
      long number = numbers.get(random.nextInt(numbers.size()));
      backups.delete(number);
      made.remove(number);
    }
  }
}
