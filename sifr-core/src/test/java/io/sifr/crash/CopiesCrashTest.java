package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.SearchLength;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The machine dies before, in and after every call of a store to its disk while a checkpoint is
 * taken, a backup made or a point restored; and every call fails once. The store holds what it
 * held, and so does every point that there was; the copy is complete, or no store, and can be made
 * again.
 *
 * <p>A longer run: {@code -Dsifr.crash.scenarios=100}, {@code -Dsifr.crash.images=20}; another
 * first seed: {@code -Dsifr.crash.seed=…}; all calls that fail, not one in so many: {@code
 * -Dsifr.faults.stride=1}.
 */
@Tag("crash")
class CopiesCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.crash.seed", 1);
  private static final int SCENARIOS = Integer.getInteger("sifr.crash.scenarios", 1);
  private static final int IMAGES = Integer.getInteger("sifr.crash.images", 1);
  private static final int STRIDE =
      Integer.getInteger("sifr.faults.stride", SearchLength.of(10, 5));
  private static final int STEPS = 60;
  private static final int MORE_STEPS = 5;

  /** What fails may be what would undo the copy, or give back the lock of a whole one. */
  private static final Set<Operation> TO_CLEAN_UP =
      EnumSet.of(Operation.DELETE, Operation.LIST, Operation.EXISTS, Operation.CLOSE);

  private static final Path TARGET = Path.of("/copies/target");
  private static final Path BACKUPS = Path.of("/backups");

  /** A disk at a moment of a copy. */
  private record Point(FrozenDisk disk, String where, boolean isDone) {}

  private final List<Point> points = new ArrayList<>();
  private Random random = new Random(0);
  private StoreOptions options = StoreOptions.DEFAULT;
  private StoreOptions ofCopies = StoreOptions.DEFAULT;
  private Tuning tuning = Tuning.DEFAULT;
  private StoreOptions ofExisting = StoreOptions.DEFAULT;

  private void watch(CrashDisk disk) {
    points.clear();
    disk.watch(
        (call, moment) -> {
          if (call.changes()) {
            points.add(new Point(disk.freeze(), moment + " " + call, false));
          }
        });
  }

  private void endWatch(CrashDisk disk) {
    points.add(new Point(disk.freeze(), "done", true));
    disk.watch((call, moment) -> {});
  }

  private Store open(Path directory, StoreFileSystem disk) {
    return TestStores.open(
        directory, directory.equals(CrashRound.DIRECTORY) ? options : ofCopies, tuning, disk);
  }

  private ModelState held(Path directory, StoreFileSystem disk) {
    ModelState state;
    try (Store store = open(directory, disk)) {
      state = ModelState.of(store);
    }
    assertThat(TestChecks.run(disk, directory).findings()).isEmpty();
    return state;
  }

  /** Runs steps, which leaves the store as it is after the last of them, and all of it durable. */
  private ModelState write(Store store, ModelState before, StepDrawing drawing, int count) {
    ModelState state = before;
    for (Step step : drawing.steps(before, count, random)) {
      step.run(store);
      state = step.after(state);
    }
    store.sync();
    return state;
  }

  /** What every scenario begins with. */
  private void eachScenario(BiConsumer<CrashDisk, StepDrawing> search) {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) {
      random = new Random(seed);
      StepDrawing drawing = new StepDrawing(3);
      LogAccess access = seed % 2 == 0 ? LogAccess.MAPPED : LogAccess.WRITTEN;
      StoreOptions.Builder drawn = drawing.builder(access, random);
      tuning = drawing.tuning(random);
      options = drawn.build();
      // The other directories of the store belong to that alone.
      ofCopies = drawn.fastDirectory(null).coldDirectory(null).build();
      ofExisting = drawn.createIfMissing(false).build();
      try {
        search.accept(CrashDisk.with(CrashRound.DIRECTORY), drawing);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ", " + options, e);
      }
    }
  }

  private void eachCrash(BiConsumer<CrashDisk, Boolean> examine) {
    long images = 0;
    for (Point point : points) {
      for (int i = 0; i < IMAGES; i++) {
        boolean kills = random.nextInt(4) == 0;
        CrashDisk left = kills ? point.disk().kill() : point.disk().crash(random);
        try {
          examine.accept(left, point.isDone());
        } catch (RuntimeException | Error e) {
          throw new AssertionError((kills ? "killed " : "power lost ") + point.where(), e);
        }
        images++;
      }
    }
    System.out.printf("%d crashes, seeds from %d on%n", images, FIRST_SEED);
    assertThat(images).isGreaterThan(20);
  }

  /** Whether there is a store; if not, it was not finished, or there is nothing. */
  private boolean isStore(Path directory, StoreFileSystem disk) {
    try (Store store = TestStores.open(directory, ofExisting, disk)) {
      return store.directory().equals(directory);
    } catch (CorruptionException e) {
      assertThat(e).hasMessageContaining("was not finished");
      return false;
    } catch (IllegalArgumentException e) {
      // Whoever opens it without saying that it has to exist would make a new one.
      assertThat(e).hasMessageContaining("holds no store");
      assertThat(disk.exists(directory)).as("an empty directory is left").isFalse();
      return false;
    }
  }

  @Test
  void aCheckpointIsCompleteOrNoStore() {
    eachScenario(
        (disk, drawing) -> {
          ModelState state;
          try (Store store = open(CrashRound.DIRECTORY, disk.fileSystem())) {
            state = write(store, ModelState.EMPTY, drawing, STEPS);
            watch(disk);
            store.checkpoint(TARGET);
            endWatch(disk);
            write(store, state, drawing, MORE_STEPS);
          }
          assertThat(held(TARGET, disk.fileSystem())).isEqualTo(state);
          assertThat(points).as("links").anyMatch(point -> point.where().contains("link"));
          eachCrash(
              (left, isDone) -> {
                StoreFileSystem files = left.fileSystem();
                if (isStore(TARGET, files)) {
                  assertThat(held(TARGET, files)).isEqualTo(state);
                  assertThat(files.list(TARGET)).doesNotContain("UNFINISHED");
                } else {
                  assertThat(isDone).isFalse();
                  try (Store store = open(CrashRound.DIRECTORY, files)) {
                    store.checkpoint(TARGET);
                  }
                  assertThat(held(TARGET, files)).isEqualTo(state);
                }
                assertThat(held(CrashRound.DIRECTORY, files)).isEqualTo(state);
              });
        });
  }

  /** What a caller has made, a mount point perhaps, stays; it is empty, or marked, or a store. */
  @Test
  void inADirectoryThatIsThereNothingLooksLikeAStore() {
    eachScenario(
        (disk, drawing) -> {
          disk.fileSystem().createDirectories(TARGET);
          disk.syncAll();
          Backups backups = TestBackups.in(BACKUPS, disk.fileSystem());
          try (Store store = open(CrashRound.DIRECTORY, disk.fileSystem())) {
            write(store, ModelState.EMPTY, drawing, STEPS);
            backups.create(store);
          }
          watch(disk);
          backups.restore(1, TARGET);
          endWatch(disk);
          eachCrash(
              (left, isDone) -> {
                StoreFileSystem files = left.fileSystem();
                List<String> names = files.list(TARGET);
                assertThat(names.isEmpty() || isMarkedOrStore(names)).as("%s", names).isTrue();
                if (!isDone && !names.contains("CURRENT")) {
                  TestBackups.in(BACKUPS, files).restore(1, TARGET);
                }
                assertThat(isStore(TARGET, files)).isTrue();
              });
        });
  }

  private static boolean isMarkedOrStore(List<String> names) {
    return names.contains("UNFINISHED") || names.contains("CURRENT");
  }

  @Test
  void whatIsSalvagedIsCompleteOrNoStore() {
    eachScenario(
        (disk, drawing) -> {
          ModelState state;
          try (Store store = open(CrashRound.DIRECTORY, disk.fileSystem())) {
            state = write(store, ModelState.EMPTY, drawing, STEPS);
          }
          disk.fileSystem().createDirectories(Objects.requireNonNull(TARGET.getParent()));
          disk.syncAll();
          watch(disk);
          var unused = TestSalvages.run(disk.fileSystem(), CrashRound.DIRECTORY, TARGET);
          endWatch(disk);
          assertThat(held(TARGET, disk.fileSystem())).isEqualTo(state);
          eachCrash(
              (left, isDone) -> {
                StoreFileSystem files = left.fileSystem();
                if (!isStore(TARGET, files)) {
                  assertThat(isDone).isFalse();
                  assertThat(TestSalvages.run(files, CrashRound.DIRECTORY, TARGET)).isNotNull();
                }
                assertThat(held(TARGET, files)).isEqualTo(state);
              });
        });
  }

  @Test
  void aBackupLosesNoPoint() {
    eachScenario(
        (disk, drawing) -> {
          StoreFileSystem whole = disk.fileSystem();
          ModelState first;
          ModelState second;
          try (Store store = open(CrashRound.DIRECTORY, whole)) {
            first = write(store, ModelState.EMPTY, drawing, STEPS);
            watch(disk);
            TestBackups.in(BACKUPS, whole).create(store);
            List<Point> ofFirst = List.copyOf(points);
            second = write(store, first, drawing, STEPS);
            watch(disk);
            TestBackups.in(BACKUPS, whole).create(store);
            endWatch(disk);
            points.addAll(0, ofFirst);
          }
          List<ModelState> states = List.of(first, second);
          eachCrash((left, isDone) -> examineBackups(left.fileSystem(), states, isDone ? 2 : 0));
        });
  }

  /** Each point is whole, and another one can be made. */
  private void examineBackups(StoreFileSystem files, List<ModelState> states, int least) {
    Backups backups = TestBackups.in(BACKUPS, files);
    List<Long> numbers = files.exists(BACKUPS.resolve("BACKUP")) ? backups.numbers() : List.of();
    assertThat(numbers.size()).isBetween(least, states.size());
    for (long number : numbers) {
      backups.verify(number, Backups.Progress.NONE);
    }
    ModelState now;
    List<Long> all = new ArrayList<>(numbers);
    try (Store store = open(CrashRound.DIRECTORY, files)) {
      now = ModelState.of(store);
      assertThat(states.contains(now) || numbers.size() == 1).isTrue();
      all.add(backups.create(store).number());
    }
    assertThat(all).isSorted().doesNotHaveDuplicates().isEqualTo(backups.numbers());
    for (int i = 0; i < all.size(); i++) {
      Path target = TARGET.resolveSibling("restored-" + i);
      backups.restore(all.get(i), target);
      assertThat(held(target, files)).isEqualTo(i < numbers.size() ? states.get(i) : now);
    }
    all.forEach(backups::delete);
    assertThat(files.list(BACKUPS.resolve("ssts"))).isEmpty();
    assertThat(files.list(BACKUPS.resolve("points"))).hasSize(1); // keeps the number
  }

  @Test
  void whatIsRestoredIsCompleteOrNoStore() {
    eachScenario(
        (disk, drawing) -> {
          Backups backups = TestBackups.in(BACKUPS, disk.fileSystem());
          ModelState state;
          try (Store store = open(CrashRound.DIRECTORY, disk.fileSystem())) {
            state = write(store, ModelState.EMPTY, drawing, STEPS);
            backups.create(store);
          }
          watch(disk);
          backups.restore(1, TARGET);
          endWatch(disk);
          eachCrash(
              (left, isDone) -> {
                StoreFileSystem files = left.fileSystem();
                if (!isStore(TARGET, files)) {
                  assertThat(isDone).isFalse();
                  TestBackups.in(BACKUPS, files).restore(1, TARGET);
                }
                assertThat(held(TARGET, files)).isEqualTo(state);
                TestBackups.in(BACKUPS, files).verify(1, Backups.Progress.NONE);
              });
        });
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void aCopyThatFailsLeavesNothing(Operation operation) {
    eachScenario(
        (disk, drawing) -> {
          var faulty = new FaultyFileSystem(disk.fileSystem());
          var files = new LeakCountingFileSystem(faulty);
          ModelState state;
          try (Store store = open(CrashRound.DIRECTORY, disk.fileSystem())) {
            state = write(store, ModelState.EMPTY, drawing, STEPS);
          }
          Store store = open(CrashRound.DIRECTORY, files);
          Backups backups = TestBackups.in(BACKUPS, files);
          backups.create(store);
          BooleanSupplier isMade = () -> faulty.exists(TARGET);
          Runnable undo = () -> deleteAll(faulty, TARGET);
          eachFault(faulty, operation, () -> store.checkpoint(TARGET), isMade, undo);
          eachFault(faulty, operation, () -> backups.restore(1, TARGET), isMade, undo);
          eachFault(
              faulty,
              operation,
              () -> backups.create(store),
              () -> backups.numbers().size() > 1,
              () -> deleteAllButTheFirst(backups));
          assertThat(ModelState.of(store)).isEqualTo(state);
          store.close();
          files.assertNothingOpen();
          assertThat(held(CrashRound.DIRECTORY, disk.fileSystem())).isEqualTo(state);
        });
  }

  /** Has one call after the other fail until there are no more. */
  private static void eachFault(
      FaultyFileSystem faulty,
      Operation operation,
      Runnable copy,
      BooleanSupplier isMade,
      Runnable undo) {
    boolean failed = true;
    for (int nth = 1; failed; nth += STRIDE) {
      faulty.failOnce(
          operation,
          path -> path.startsWith("/copies") || path.startsWith(BACKUPS),
          nth,
          Fault.EIO);
      try {
        copy.run();
        failed = false;
      } catch (SifrException e) {
        failed = true;
      }
      faulty.heal();
      if (!TO_CLEAN_UP.contains(operation)) {
        assertThat(isMade.getAsBoolean()).as("call " + nth).isEqualTo(!failed);
      }
      undo.run();
    }
  }

  private static void deleteAll(StoreFileSystem files, Path directory) {
    if (files.exists(directory)) {
      files.list(directory).forEach(name -> files.delete(directory.resolve(name)));
      files.delete(directory);
    }
  }

  private static void deleteAllButTheFirst(Backups backups) {
    backups.numbers().stream().filter(number -> number > 1).forEach(backups::delete);
    backups.verify(1, Backups.Progress.NONE);
  }
}
