package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.engine.StoreCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.CrashPoints;
import io.sifr.testing.SimulatedCrash;
import io.sifr.testing.Waiting;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * The disk goes away under a running store: every call fails, with an error that is no exception of
 * a disk, on whichever thread it is. No caller waits for ever, the store can be closed, none of its
 * threads stays, and what the disk holds is the state after a prefix of the steps.
 */
@Tag("crash")
@Tag("jvm")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CrashedDiskEndsTheStoreTest {
  private static final int STEPS = 60;
  private static final int CALLS_BETWEEN = 17;
  private static final int MOST_TRIES = 500;

  /** At each point, each with other settings and steps. */
  private static final int CRASHES = Integer.getInteger("sifr.ends.crashes", 1);

  private static final long SEED = Long.getLong("sifr.crash.seed", 1);

  private final Logger log = (Logger) LoggerFactory.getLogger("io.sifr.internal.engine");
  private final Random random = new Random(SEED);
  private final StepDrawing drawing = new StepDrawing(1);

  /** That the store takes no more writes is reported many times here, and is what is wanted. */
  @BeforeEach
  void logNothing() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void logAgain() {
    log.setLevel(null);
  }

  @ParameterizedTest
  @EnumSource
  void storeEndsAndGoesOnFromAPrefix(Moment moment) {
    StoreOptions options = drawing.options(LogAccess.MAPPED, random);
    long call = 1L + random.nextInt(CALLS_BETWEEN);
    int crashes = 0;
    for (boolean crashed = true; crashed; call += CALLS_BETWEEN) {
      long next = call;
      crashed = crashAndGoOn(options, drawing, disk -> disk.crashAt(next, moment));
      crashes += crashed ? 1 : 0;
    }
    assertThat(crashes).as("seed %d", SEED).isGreaterThan(5);
  }

  static Stream<CrashPoint> pointsOfAStoreThatNeverCrashed() {
    Set<CrashPoint> afterACrash =
        Set.of(
            BackgroundCrashPoint.COMPACTION_RESUMED,
            StoreCrashPoint.LOST_SST_MADE_AGAIN,
            StoreCrashPoint.RECOVERY_LOG_DURABLE,
            StoreCrashPoint.RECOVERY_FLUSHED);
    return CrashPoints.all().stream().filter(point -> !afterACrash.contains(point));
  }

  @ParameterizedTest
  @MethodSource("pointsOfAStoreThatNeverCrashed")
  void storeEndsAtThePoint(CrashPoint point) {
    int crashes = 0;
    for (int i = 0; i < MOST_TRIES * CRASHES && crashes < CRASHES; i++) {
      StepDrawing several = new StepDrawing(3);
      StoreOptions options = several.options(LogAccess.MAPPED, random);
      int nth = 1 + random.nextInt(2);
      boolean crashed = crashAndGoOn(options, several, disk -> disk.crashAt(point, nth));
      crashes += crashed ? 1 : 0;
    }
    assertThat(crashes).as("%s is reached, seed %d", point, SEED).isEqualTo(CRASHES);
  }

  /** Whether the store came as far as the crash that is planned. */
  private boolean crashAndGoOn(
      StoreOptions options, StepDrawing drawing, Consumer<CrashDisk> plan) {
    Set<Thread> before = storeThreads();
    CrashDisk disk = CrashDisk.with(CrashRound.DIRECTORY);
    plan.accept(disk);
    List<Step> steps = drawing.steps(ModelState.EMPTY, STEPS, random);
    int begun = 0;
    int returned = 0;
    int durable = 0;
    Store store = null;
    try {
      store =
          TestStores.open(CrashRound.DIRECTORY, options, drawing.tuning(random), disk.fileSystem());
      for (Step step : steps) {
        begun++;
        step.run(store);
        // A dead machine confirms nothing, but memory can be stored into all the same.
        if (!disk.isStopped()) {
          returned = begun;
          durable = step.isDurable() ? returned : durable;
        }
      }
    } catch (SimulatedCrash | SifrException e) {
      assertThat(disk.isStopped()).as("a crash was met").isTrue();
    }
    if (store != null) {
      close(store, disk);
    }
    Waiting.until("threads of the store end", () -> before.containsAll(storeThreads()));
    List<ModelState> states = Step.states(ModelState.EMPTY, steps);
    List<ModelState> synced = states.subList(durable, begun + 1);
    CrashDisk left = disk.crash(random);
    StepDrawing.loseVolatile(left.fileSystem());
    goOn(left, new CrashRound.Allowed(synced, synced), options);
    goOn(disk.kill(), new CrashRound.Allowed(states.subList(returned, begun + 1), synced), options);
    return disk.isStopped();
  }

  private static void close(Store store, CrashDisk disk) {
    try {
      store.close();
    } catch (SimulatedCrash | SifrException e) {
      assertThat(disk.isStopped()).isTrue();
    }
  }

  private void goOn(CrashDisk image, CrashRound.Allowed allowed, StoreOptions options) {
    try {
      new CrashRound(image, options, allowed, drawing, 3, Aim.ANYWHERE, 0, random)
          .run(UnaryOperator.identity());
    } catch (RuntimeException | Error e) {
      throw new AssertionError("seed " + SEED + ", " + options, e);
    }
  }

  private static Set<Thread> storeThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sifr-"))
        .filter(thread -> !thread.getName().equals("sifr-lost")) // is one a process
        .collect(Collectors.toCollection(HashSet::new));
  }
}
