package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.SearchLength;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The machine dies before, in and after every single call of a store to its disk. What is opened
 * then is the state after the first k steps, k at least what was durable and at most what had
 * begun, batches whole; it is sound, holds no file too many, and goes on.
 *
 * <p>A longer run: {@code -Dsifr.crash.stride=1} (each moment of each call, not one in so many),
 * {@code -Dsifr.crash.scenarios=100}, {@code -Dsifr.crash.steps=300}, {@code
 * -Dsifr.crash.images=20} (crashes at each of these moments); another first seed: {@code
 * -Dsifr.crash.seed=…}. Threads of the store are real ones, so a seed gives the same steps but not
 * the same order of calls: a failure leaves its image under {@code target/crash-images}.
 */
@Tag("crash")
class EveryCallCrashTest {
  private static final long FIRST_SEED = Long.getLong("sifr.crash.seed", 1);
  private static final int SCENARIOS = Integer.getInteger("sifr.crash.scenarios", 1);
  private static final int STEPS = Integer.getInteger("sifr.crash.steps", 20);

  // Each of these writes and merges as much as several others.
  private static final int STEPS_WITH_ANY_POLICY = STEPS * 3 / 5;
  private static final int STEPS_OF_A_FULL_DISK = STEPS;
  private static final int STEPS_THAT_DELETE_RANGES = STEPS / 6;

  private static final UnaryOperator<StoreFileSystem> ALL_OF_DISK = UnaryOperator.identity();
  private static final int IMAGES = Integer.getInteger("sifr.crash.images", 1);
  private static final int STRIDE = Integer.getInteger("sifr.crash.stride", SearchLength.of(3, 1));

  @Test
  void storeOfOneDatabaseIsInAnAllowedState() {
    search(1);
  }

  @Test
  void storeOfSeveralDatabasesIsInAnAllowedState() {
    search(3);
  }

  /** It has entries in its log when the machine dies while it is opened or written to again. */
  @Test
  void storeThatWasClosedBeforeIsInAnAllowedState() {
    search(2, 3);
  }

  /** It merges spans into trees that exist, by another policy in each of its lives. */
  @Test
  void storeWithAnyPolicyIsInAnAllowedState() {
    long unused =
        search(
            seed -> new CrashSearch(seed, MergeScenarios.ANY_POLICY.scenario(), ALL_OF_DISK),
            STEPS_WITH_ANY_POLICY);
  }

  /** Ranges are deleted between flushes, and compactions drop what they cover. */
  @Test
  void storeWithDeletedRangesIsInAnAllowedState() {
    long unused =
        search(
            seed -> new CrashSearch(seed, MergeScenarios.RANGES.scenario(), ALL_OF_DISK),
            STEPS_THAT_DELETE_RANGES);
  }

  /**
   * What is refused is not there after a crash either, and a full disk is no reason not to open.
   */
  @Test
  void storeOnADiskThatIsFullNowAndThenIsInAnAllowedState() {
    long refused =
        search(
            seed -> new CrashSearch(seed, new FillingDisk(2), ALL_OF_DISK), STEPS_OF_A_FULL_DISK);
    System.out.printf("%d steps were refused for lack of space%n", refused);
    assertThat(refused).isPositive();
  }

  private static void search(int mostDatabases) {
    search(mostDatabases, 0);
  }

  private static void search(int mostDatabases, int closedLives) {
    search(seed -> new CrashSearch(seed, mostDatabases, ALL_OF_DISK).afterClosedLives(closedLives));
  }

  private static void search(LongFunction<CrashSearch> searches) {
    long unused = search(searches, STEPS);
  }

  /** Returns how many steps were refused for lack of space. */
  private static long search(LongFunction<CrashSearch> searches, int steps) {
    long refused = 0;
    long moments = 0;
    long images = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) {
      CrashSearch search = searches.apply(seed);
      try {
        search.run(steps, STRIDE, IMAGES);
      } catch (CrashSearch.Found e) {
        throw e.saved();
      }
      moments += search.moments() / STRIDE;
      images += search.images();
      refused += search.refused();
    }
    System.out.printf("%d crashes at %d moments, seeds from %d on%n", images, moments, FIRST_SEED);
    assertThat(images).isGreaterThanOrEqualTo(moments * IMAGES).isPositive();
    return refused;
  }

  @Test
  void stepsLeadToAllKindsOfCalls() {
    Set<String> calls = new TreeSet<>();
    for (long seed = 1; seed <= 25; seed++) {
      CrashSearch search = new CrashSearch(seed, 1 + (int) seed % 3, UnaryOperator.identity());
      search.run(2 * STEPS, 1, 0);
      calls.addAll(search.kindsOfCalls());
    }
    assertThat(calls)
        .contains(
            "make store",
            "lock store",
            "sync store",
            "create .manifest",
            "append to .manifest",
            "sync .manifest",
            "delete .manifest",
            "create CURRENT.tmp",
            "append to CURRENT.tmp",
            "sync CURRENT.tmp",
            "rename CURRENT.tmp",
            "create .wal.new",
            "append to .wal.new",
            "sync .wal.new",
            "rename .wal.new",
            "write to .wal",
            "sync .wal",
            "force .wal",
            "rename .wal",
            "delete .wal",
            "create .sst",
            "append to .sst",
            "sync .sst",
            "delete .sst",
            "create .values",
            "write to .values",
            "sync .values",
            "delete .values");
  }
}
