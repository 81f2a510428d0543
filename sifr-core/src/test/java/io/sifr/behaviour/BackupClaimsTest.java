package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.testing.HeapStorage;
import io.sifr.testing.HeapStorage.Fault;
import io.sifr.testing.HeapStorage.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who uses a storage at the same time does no harm to points of others, nor does what is late. */
class BackupClaimsTest {
  private static final Duration RENEW = Duration.ofMinutes(1);
  private static final Duration DEAD = Duration.ofMinutes(30);

  @TempDir Path directory;

  private final long seed = Long.getLong("sifr.backup.seed", System.nanoTime());
  private final AtomicLong seconds = new AtomicLong();
  private final InstantSource clock = () -> Instant.EPOCH.plusSeconds(seconds.get());
  private final HeapStorage storage = new HeapStorage(clock, new Random(seed));

  private Backups backups() {
    return TestBackups.in(storage, RENEW, DEAD, clock);
  }

  private Store filled(String name, int from, int to) {
    Store store = SmallStores.open(directory.resolve(name));
    SmallStores.fill(store.database(), from, to, 1);
    store.flush();
    store.awaitIdle();
    return store;
  }

  private Map<String, String> restored(long number) {
    Path target = directory.resolve("restored-" + number + "-" + System.nanoTime());
    backups().restore(number, target);
    try (Store store = SmallStores.open(target)) {
      return SmallStores.content(store.database());
    }
  }

  /** Does something once, before a call whose operation and name begin so. */
  private void once(String call, Runnable action) {
    AtomicBoolean isDone = new AtomicBoolean();
    storage.beforeEachCall(
        next -> {
          if (next.startsWith(call) && !isDone.getAndSet(true)) {
            action.run();
          }
        });
  }

  private static void each(Consumer<Integer> action, int count) {
    for (int i = 0; i < count; i++) {
      action.accept(i);
    }
  }

  /** At each call of a creation somebody else deletes the only point there was, and cleans up. */
  @Test
  void whatACreationReliesOnStays() {
    try (Store store = filled("store", 0, 500)) {
      int calls = 1000;
      for (int at = 0; at < calls; at++) {
        long old = backups().create(store).number();
        int before = storage.calls().size();
        int nth = at;
        AtomicBoolean isDone = new AtomicBoolean();
        storage.beforeEachCall(
            call -> {
              if (storage.calls().size() - before > nth && !isDone.getAndSet(true)) {
                backups().delete(old);
                backups().deleteUnfinished();
              }
            });
        long number = backups().create(store).number();
        storage.beforeEachCall(call -> {});
        if (!isDone.get()) {
          calls = at; // as many as there are
          backups().delete(old);
        }
        assertThat(backups().numbers()).as("call %d", at).containsExactly(number);
        backups().verify(number, Backups.Progress.NONE);
        backups().delete(number);
      }
      assertThat(calls).isBetween(10, 999);
      assertThat(storage.names()).hasSize(2);
    }
  }

  /** At each call of a deletion somebody else adds a point that holds the same. */
  @Test
  void whatIsAddedBesideADeletionStays() {
    try (Store store = filled("store", 0, 500)) {
      int calls = 1000;
      for (int at = 0; at < calls; at++) {
        long old = backups().create(store).number();
        int before = storage.calls().size();
        int nth = at;
        AtomicBoolean isDone = new AtomicBoolean();
        List<Long> added = new ArrayList<>();
        storage.beforeEachCall(
            call -> {
              if (storage.calls().size() - before > nth && !isDone.getAndSet(true)) {
                added.add(backups().create(store).number());
              }
            });
        backups().delete(old);
        storage.beforeEachCall(call -> {});
        if (added.isEmpty()) {
          calls = at; // as many as there are
        }
        assertThat(backups().numbers()).as("call %d", at).isEqualTo(added);
        added.forEach(number -> backups().verify(number, Backups.Progress.NONE));
        added.forEach(backups()::delete);
      }
      assertThat(calls).isBetween(10, 999);
      assertThat(storage.names()).hasSize(2);
    }
  }

  /** At each call of a creation somebody else adds a point, too. */
  @Test
  void twoCreationsGetTwoNumbers() {
    try (Store store = filled("store", 0, 500)) {
      int calls = 1000;
      for (int at = 0; at < calls; at++) {
        int before = storage.calls().size();
        int nth = at;
        AtomicBoolean isDone = new AtomicBoolean();
        List<Long> added = new ArrayList<>();
        storage.beforeEachCall(
            call -> {
              if (storage.calls().size() - before > nth && !isDone.getAndSet(true)) {
                added.add(backups().create(store).number());
              }
            });
        added.add(backups().create(store).number());
        storage.beforeEachCall(call -> {});
        if (added.size() == 1) {
          calls = at; // as many as there are
        }
        assertThat(backups().numbers()).as("call %d", at).hasSameElementsAs(added);
        assertThat(added).doesNotHaveDuplicates();
        added.forEach(number -> backups().verify(number, Backups.Progress.NONE));
        added.forEach(backups()::delete);
      }
      assertThat(calls).isBetween(10, 999);
      assertThat(storage.names()).hasSize(2);
    }
  }

  /** Two stores, each with a process of its own, and a third that deletes and cleans up. */
  @Test
  void processesAtOnceHarmNoPoint() throws InterruptedException, ExecutionException {
    Map<Long, Integer> made = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    AtomicBoolean isDone = new AtomicBoolean();
    try (Store first = filled("first", 0, 300);
        Store second = filled("second", 300, 600)) {
      backups().create(first);
      List<Store> stores = List.of(first, second);
      List<Future<?>> creators = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Store store = stores.get(i);
        int from = 300 * i;
        creators.add(
            threads.submit(
                () ->
                    each(
                        round -> {
                          store.database().put(SmallStores.key(from), SmallStores.value(0, round));
                          Integer twice =
                              made.put(backups().create(store).number(), from + 1000 * round);
                          assertThat(twice).as("a number given twice").isNull();
                        },
                        20)));
      }
      Future<?> cleaner =
          threads.submit(
              () -> {
                Random random = new Random(seed);
                while (!isDone.get()) {
                  List<Long> numbers = List.copyOf(made.keySet());
                  if (numbers.size() > 5) {
                    long number = numbers.get(random.nextInt(numbers.size()));
                    made.remove(number);
                    backups().delete(number);
                  }
                  backups().deleteUnfinished();
                }
              });
      for (Future<?> creator : creators) {
        creator.get();
      }
      isDone.set(true);
      cleaner.get();
    } finally {
      threads.shutdownNow();
    }
    backups().delete(1);
    assertThat(backups().numbers()).containsExactlyElementsOf(new TreeMap<>(made).keySet());
    for (Map.Entry<Long, Integer> point : made.entrySet()) {
      int from = point.getValue() % 1000;
      Map<String, String> expected = SmallStores.filled(from, from + 300, 1);
      expected.put(
          SmallStores.text(SmallStores.key(from)),
          SmallStores.text(SmallStores.value(0, point.getValue() / 1000)));
      assertThat(restored(point.getKey())).isEqualTo(expected);
    }
  }

  /** A creation that takes hours has its claim all the time. */
  @Test
  void aClaimIsRenewedAtEachStep() {
    try (Store store = filled("store", 0, 500)) {
      for (int i = 0; i < 40; i++) {
        backups().create(store);
      }
      // Reading 40 lists takes three hours then, and putting as long.
      Map<String, Long> put = new HashMap<>();
      AtomicLong longest = new AtomicLong();
      storage.beforeEachCall(
          call -> {
            seconds.addAndGet(290);
            if (call.startsWith("PUT claims/create-")) {
              Long before = put.put(call, seconds.get());
              if (before != null) {
                longest.accumulateAndGet(seconds.get() - before, Math::max);
              }
            }
          });
      backups().create(store);
      assertThat(put).hasSize(1);
      assertThat(longest).hasValueBetween(290L, 600L);
      assertThat(seconds).hasValueGreaterThan(Duration.ofHours(6).toSeconds());
    }
  }

  /** What is under way stays for others, and goes when it is dead. */
  @Test
  void whatIsLeftOfAKilledProcessGoesWhenItsClaimIsDead() {
    try (Store store = filled("store", 0, 500)) {
      backups().create(store);
      List<String> whole = storage.names();
      SmallStores.fill(store.database(), 0, 500, 2);
      store.flush();
      killed(() -> backups().create(store));
      assertThat(storage.names()).anyMatch(name -> name.startsWith("claims/"));
      int left = storage.names().size();
      seconds.addAndGet(DEAD.toSeconds() - 1);
      backups().deleteUnfinished();
      assertThat(storage.names()).hasSizeGreaterThanOrEqualTo(left - 1); // a lower number
      seconds.addAndGet(2);
      assertThat(backups().deleteUnfinished()).isGreaterThan(1);
      assertThat(storage.names().stream().filter(name -> !name.startsWith("numbers/")))
          .containsExactlyElementsOf(
              whole.stream().filter(name -> !name.startsWith("numbers/")).toList());
      assertThat(backups().create(store).number()).isEqualTo(3);
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 500, 1));
    assertThat(restored(3)).isEqualTo(SmallStores.filled(0, 500, 2));
  }

  /** Runs something of which all further calls fail as well. */
  private void killed(Runnable run) {
    AtomicBoolean isDead = new AtomicBoolean();
    storage.beforeEachCall(
        call -> {
          if (isDead.get() || call.startsWith("PUT points/")) {
            isDead.set(true);
            throw new IllegalStateException("killed");
          }
        });
    assertThatThrownBy(run::run).hasRootCauseMessage("killed");
    storage.beforeEachCall(call -> {});
  }

  /** A process that slept is taken for dead, and everything of it is deleted: it notices. */
  @Test
  void aProcessThatSleptGivesUp() {
    try (Store store = filled("store", 0, 500)) {
      backups().create(store);
      SmallStores.fill(store.database(), 0, 500, 2);
      once(
          "PUT points/",
          () -> {
            seconds.addAndGet(DEAD.toSeconds() + 1);
            backups().deleteUnfinished();
          });
      assertThatThrownBy(() -> backups().create(store))
          .isInstanceOf(SifrException.class)
          .hasMessageContaining("could not be renewed for 1801 s");
      assertThat(backups().numbers()).containsExactly(1L);
      backups().deleteUnfinished();
      backups().verify(1, Backups.Progress.NONE);
    }
  }

  /** However that came about: who has deleted it may have deleted more. */
  @Test
  void aProcessWhoseClaimIsGoneGivesUp() {
    try (Store store = filled("store", 0, 500)) {
      backups().create(store);
      once(
          "PUT points/",
          () ->
              storage.names().stream()
                  .filter(name -> name.startsWith("claims/"))
                  .forEach(storage::lose));
      assertThatThrownBy(() -> backups().create(store))
          .isInstanceOf(SifrException.class)
          .hasMessageContaining("is not in a listing");
      assertThat(backups().numbers()).containsExactly(1L);
    }
  }

  /** Between the listing of the points and the reading of each. */
  @Test
  void aListIsWithoutThePointsThatAreDeletedMeanwhile() {
    try (Store store = filled("store", 0, 100)) {
      each(i -> backups().create(store), 3);
      once("GET points/000000000002/POINT", () -> backups().delete(2));
      assertThat(backups().list()).extracting(Backups.Point::number).containsExactly(1L, 3L);
      assertThat(backups().numbers()).containsExactly(1L, 3L);
    }
  }

  /** The list is on its way for so long that everything else was deleted. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aListThatComesLateBringsNoPointBack(boolean isDownThen) {
    try (Store store = filled("store", 0, 500)) {
      backups().create(store);
      SmallStores.fill(store.database(), 0, 500, 2);
      AtomicBoolean isGivenUp = new AtomicBoolean();
      storage.beforeEachCall(
          call -> {
            if (isGivenUp.get()) {
              throw new SifrException("the storage is down");
            }
            isGivenUp.set(isDownThen && call.equals("DELETE points/000000000002/POINT"));
          });
      storage.lateForLong();
      storage.failOnce(
          (operation, name) -> operation == Operation.PUT && name.endsWith("2/POINT"),
          0,
          Fault.LATE);
      assertThatThrownBy(() -> backups().create(store)).isInstanceOf(StoreIoException.class);
      storage.beforeEachCall(call -> {});
      storage.settle();
      seconds.addAndGet(DEAD.toSeconds() + 1); // of the claim that may be left
      assertThat(storage.names()).contains("points/000000000002/POINT");
      assertThat(backups().numbers()).containsExactly(1L);
      assertThatThrownBy(() -> backups().point(2))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("CURRENT");
      assertThatThrownBy(() -> backups().restore(2, directory.resolve("restored")))
          .isInstanceOf(CorruptionException.class);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backups().delete(2))
          .withMessageContaining("holds no point 2; it holds [1]");
      assertThat(backups().deleteUnfinished()).isPositive();
      assertThat(storage.names()).noneMatch(name -> name.startsWith("points/000000000002"));
      assertThat(backups().create(store).number()).isEqualTo(3);
    }
  }

  /** The list was put, and nobody said so. */
  @Test
  void aPointWhoseListIsThereIsMade() {
    try (Store store = filled("store", 0, 500)) {
      storage.failOnce(
          (operation, name) -> operation == Operation.PUT && name.endsWith("/POINT"),
          0,
          Fault.AFTER);
      assertThat(backups().create(store).number()).isEqualTo(1);
      assertThat(storage.heal()).isTrue();
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 500, 1));
  }

  /** ... nor can it be found out. */
  @Test
  void aPointThatMayBeThereIsTold() {
    AtomicBoolean isDown = new AtomicBoolean();
    try (Store store = filled("store", 0, 500)) {
      storage.failOnce(
          (operation, name) -> {
            if (operation == Operation.PUT && name.endsWith("/POINT")) {
              isDown.set(true);
              return true;
            }
            return false;
          },
          0,
          Fault.AFTER);
      storage.beforeEachCall(
          call -> {
            if (isDown.get()) {
              throw new SifrException("the storage is down");
            }
          });
      assertThatThrownBy(() -> backups().create(store))
          .isInstanceOf(SifrException.class)
          .hasMessageContaining("not known whether there is point 1")
          .hasRootCauseMessage("drawn: AFTER PUT points/000000000001/POINT");
      storage.beforeEachCall(call -> {});
    }
    assertThat(backups().numbers()).containsExactly(1L);
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 500, 1));
  }

  @Test
  void namesThatLeadElsewhereAreLeftAlone() {
    try (Store store = filled("store", 0, 500)) {
      backups().create(store);
      storage.damage("points/../../etc/passwd", new byte[1]);
      storage.damage("points//etc/passwd", new byte[1]);
      storage.damage("ssts/a b", new byte[1]);
      storage.damage("ssts/leftover", new byte[1]);
      assertThat(backups().deleteUnfinished()).isEqualTo(1);
      assertThat(storage.names()).contains("points/../../etc/passwd", "ssts/a b");
      assertThat(backups().numbers()).containsExactly(1L);
    }
  }

  @Test
  void otherPlacesAreRefused() {
    storage.damage("notes", new byte[1]);
    try (Store store = filled("store", 0, 10)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backups().create(store))
          .withMessage(
              "heap has the object notes and holds no backup; a backup begins where nothing is");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backups().numbers())
          .withMessage("heap holds no backup");
      storage.lose("notes");
      backups().create(store);
    }
  }
}
