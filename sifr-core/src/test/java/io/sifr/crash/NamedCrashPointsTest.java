package io.sifr.crash;

import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.manifest.ManifestCrashPoint;
import io.sifr.testing.CrashPoints;
import io.sifr.testing.SearchLength;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The machine dies at each point that the engine names, the boundaries between the steps of flush,
 * merge, move, clean, log, manifest, database, recovery and close: by a loss of power that leaves
 * some of what was not synced, or by the end of the process; up to two crashes at any moment come
 * before it, and up to two after it. What is opened then is in an allowed state, sound, and goes
 * on.
 *
 * <p>A point that is not reached fails. A longer run: {@code -Dsifr.points.seeds=200} (crashes at
 * each point); another first seed: {@code -Dsifr.points.seed=…}. Threads of the store are real
 * ones, so a seed gives the same steps but not the same order of calls: a failure leaves its image
 * under {@code target/crash-images}.
 */
@Tag("crash")
class NamedCrashPointsTest {
  private static final long FIRST_SEED = Long.getLong("sifr.points.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.points.seeds", SearchLength.of(1, 2));

  private static final int MOST_STEPS = 60;
  private static final int MOST_EARLIER_CRASHES = 2;

  static List<CrashPoint> points() {
    return CrashPoints.all();
  }

  static List<CrashPoint> pointsOfCompactions() {
    // Those left out are named, so that a new name, or a changed one, leaves out nothing.
    return CrashPoints.all().stream()
        .filter(point -> point instanceof BackgroundCrashPoint || point instanceof OutputCrashPoint)
        .filter(point -> !point.name().startsWith("FLUSH_"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("points")
  void storeIsInAnAllowedStateAfterACrashAt(CrashPoint point) {
    crashAt(
        point,
        seed ->
            new CrashSearch(seed, 1 + (int) (seed % 3), UnaryOperator.identity())
                .afterClosedLives(closedLives(point, seed)));
  }

  /** Each life has another compaction policy, which merges spans into trees that exist. */
  @ParameterizedTest
  @MethodSource("pointsOfCompactions")
  void storeWithAnyPolicyIsInAnAllowedStateAfterACrashAt(CrashPoint point) {
    crashAt(
        point,
        seed ->
            new CrashSearch(seed, MergeScenarios.ANY_POLICY.scenario(), UnaryOperator.identity()));
  }

  private static void crashAt(CrashPoint point, LongFunction<CrashSearch> searches) {
    new RunsUntilReached(point.name(), FIRST_SEED, SEEDS)
        .run(searches, (search, random) -> crash(search, point, random));
  }

  /** Points of a store's creation are met in its first life only. */
  private static int closedLives(CrashPoint point, long seed) {
    boolean isOfANewStore =
        point == ManifestCrashPoint.MANIFEST_WRITTEN
            || point == ManifestCrashPoint.MANIFEST_SWAPPED;
    return isOfANewStore ? 0 : (int) (seed % 4);
  }

  private static boolean crash(CrashSearch search, CrashPoint point, Random random) {
    int earlier = random.nextInt(MOST_EARLIER_CRASHES + 1);
    List<Aim> aims = new ArrayList<>(Collections.nCopies(earlier, Aim.ANYWHERE));
    aims.add(Aim.at(point));
    return search.runAt(aims, CrashSearch.Death.EITHER, random.nextInt(MOST_STEPS), point.name());
  }
}
