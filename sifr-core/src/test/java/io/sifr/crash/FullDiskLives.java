package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The lives of a store on one disk, which is full now and then. What is refused because of that has
 * changed nothing; the store is opened again without any space, whether it was closed, its process
 * was killed or power was lost, also while it was being opened; and it holds what was acknowledged.
 */
final class FullDiskLives {
  /** Number of a write that no other step makes. */
  private static final int PUT = 1_000_000;

  private static final int MOST_ROUNDS = 20;

  private static final int MOST_CALLS_OF_AN_OPENING = 150;

  private final Random random;
  private final Scenario scenario;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private CrashDisk disk = CrashDisk.with(CrashRound.DIRECTORY);

  /** What the store holds; before that, from what was durable on, what power loss may leave. */
  private List<ModelState> states = List.of(ModelState.EMPTY);

  private boolean hasLostPower;
  private StoreOptions options;
  private LeakCountingFileSystem files = new LeakCountingFileSystem(disk.fileSystem());
  private int steps;
  private int refused;
  private @Nullable StoreFullException lastRefusal;
  private int openings;

  FullDiskLives(Scenario scenario, Random random) {
    this.scenario = scenario;
    this.random = random;
    this.options = options();
  }

  private StoreOptions options() {
    return scenario.options(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN, random);
  }

  /** Sets how many bytes are free. */
  void setFree(long bytes) {
    disk.setCapacity(disk.usedBytes() + bytes);
  }

  /** Sets how many bytes the disk has. */
  void setCapacity(long bytes) {
    disk.setCapacity(bytes);
  }

  /** Opens the store, which holds what it may hold. */
  Store open() {
    crashWhileOpening();
    options = options();
    openings++;
    if (openings > 1 && random.nextInt(3) == 0) {
      try (Store reader = TestStores.openReadOnly(CrashRound.DIRECTORY, options, files)) {
        assertThat(allowed()).contains(ModelState.of(reader));
      }
    }
    Store store =
        TestStores.open(
            CrashRound.DIRECTORY, options, scenario.tuning(random), files, new Listener());
    ModelState found = ModelState.of(store);
    assertThat(allowed()).as("states that may be found").contains(found);
    states = List.of(found);
    hasLostPower = false;
    return store;
  }

  /** Now and then the machine dies in an opening before that, once or twice. */
  private void crashWhileOpening() {
    while (openings > 0 && random.nextInt(3) == 0) {
      CrashDisk dying = disk;
      List<Moment> moments = List.of(Moment.values());
      Moment moment = moments.get(random.nextInt(moments.size()));
      long last = dying.calls() + 1 + random.nextInt(MOST_CALLS_OF_AN_OPENING);
      AtomicReference<@Nullable FrozenDisk> atDeath = new AtomicReference<>();
      dying.watch(
          (call, now) -> {
            if (call.number() >= last && now == moment && atDeath.get() == null) {
              atDeath.set(dying.freeze());
            }
          });
      try (Store store = TestStores.open(CrashRound.DIRECTORY, options(), files, new Listener())) {
        assertThat(allowed()).contains(ModelState.of(store));
      } catch (StoreFullException e) {
        refused++; // when it was closed
      }
      dying.watch((call, now) -> {});
      openings++;
      FrozenDisk left = atDeath.get();
      die(left == null ? dying.freeze() : left);
    }
  }

  /** The process ends, or power is lost. */
  private void die(FrozenDisk dying) {
    boolean isKilled = random.nextBoolean();
    goOnWith(isKilled ? dying.kill() : dying.crash(random));
    hasLostPower |= !isKilled;
  }

  private void goOnWith(CrashDisk left) {
    disk = left;
    files = new LeakCountingFileSystem(disk.fileSystem());
  }

  /** What may be found on the disk. */
  private List<ModelState> allowed() {
    return hasLostPower ? states : List.of(now());
  }

  /** Takes steps, of which the disk may refuse some. */
  void take(Store store, List<Step> some) {
    some.forEach(step -> take(store, step));
  }

  /** Takes a step; whether it was done. */
  boolean take(Store store, Step step) {
    ModelState before = now();
    steps++;
    try {
      step.run(store);
    } catch (StoreFullException e) {
      refused++;
      lastRefusal = e;
      assertThat(ModelState.of(store)).as("after refused %s", step).isEqualTo(before);
      return false;
    }
    List<ModelState> next = new ArrayList<>(step.isDurable() ? List.of() : states);
    next.add(step.after(before));
    states = next;
    return true;
  }

  /** Random steps that need no other directory. */
  List<Step> draw(int count) {
    return scenario.steps(now(), count, random).stream()
        .filter(step -> !(step instanceof Step.Checkpoint || step instanceof Step.Ingest))
        .toList();
  }

  /** What the disk has left. */
  long free() {
    return disk.fileSystem().usableBytes(CrashRound.DIRECTORY);
  }

  ModelState now() {
    return states.get(states.size() - 1);
  }

  /** Ends the life of a store in one way or another. */
  void end(Store store) {
    if (random.nextInt(3) == 0) {
      close(store);
      return;
    }
    FrozenDisk left = disk.freeze();
    List<ModelState> atDeath = states;
    close(store); // on a disk that nobody sees any more
    states = atDeath;
    die(left);
  }

  void close(Store store) {
    try {
      store.close();
      states = List.of(now());
    } catch (StoreFullException e) {
      refused++;
    }
    files.assertNothingOpen();
  }

  /** Deletes all that the store holds, as far as it can. */
  void tryToDeleteAll(Store store) {
    store.databaseNames().forEach(name -> take(store, deleteAll(name)));
  }

  /**
   * Deletes all that the store holds, flushes and merges, until it takes a write. With SSTs of a
   * few pages, of which half is overhead, one round may not suffice.
   */
  void makeRoom(Store store) {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      for (String name : store.databaseNames()) {
        take(store, deleteAll(name));
        tryAll(store::flush, store.database(name)::compact, store::awaitIdle);
      }
      if (put(store)) {
        return;
      }
    }
    throw new AssertionError(
        "options " + options + ", " + free() + " free of " + sizes(), lastRefusal);
  }

  private void tryAll(Runnable... calls) {
    for (Runnable call : calls) {
      try {
        call.run();
      } catch (StoreFullException e) {
        refused++;
      }
    }
  }

  private static Step deleteAll(String name) {
    return new Step.Write(List.of(new Step.Operation(name, KeyRange.all())), Durability.BUFFERED);
  }

  /** Puts something; whether that was done. */
  boolean put(Store store) {
    Step.Operation put = new Step.Operation(Store.DEFAULT_DATABASE, 0, PUT);
    return take(store, new Step.Write(List.of(put), Durability.BUFFERED));
  }

  /** Flushes and merges everything, which must succeed. */
  void flushAndCompact(Store store) {
    try {
      store.flush();
      store.databaseNames().stream().map(store::database).forEach(Database::compact);
      store.awaitIdle();
    } catch (StoreFullException e) {
      throw new AssertionError("options " + options + ", " + free() + " free of " + sizes(), e);
    }
  }

  private Map<String, Long> sizes() {
    StoreFileSystem all = disk.fileSystem();
    Map<String, Long> sizes = new TreeMap<>();
    for (String name : all.list(CrashRound.DIRECTORY)) {
      sizes.put(name, all.size(CrashRound.DIRECTORY.resolve(name)));
    }
    return sizes;
  }

  /** A store on which nothing is wrong is closed at last. */
  void finish(Store store) {
    store.close();
    files.assertNothingOpen();
    assertThat(TestChecks.run(disk.fileSystem(), CrashRound.DIRECTORY).findings()).isEmpty();
    assertThat(failures).allMatch(StoreFullException.class::isInstance);
  }

  int steps() {
    return steps;
  }

  int refused() {
    return refused;
  }

  int openings() {
    return openings;
  }

  private final class Listener implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      failures.add(event.cause());
    }
  }
}
