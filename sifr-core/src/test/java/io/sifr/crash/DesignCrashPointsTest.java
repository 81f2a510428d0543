package io.sifr.crash;

import io.sifr.crash.CrashSearch.Death;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The machine dies before, in and after each step of a merge with early cleaning that the design
 * numbers, C0 to C24; by a loss of power, and by the end of the process. What is opened then is in
 * an allowed state, sound, and goes on; half of the times it dies again.
 *
 * <p>A longer run: {@code -Dsifr.design.seeds=200} (crashes at each step); another first seed:
 * {@code -Dsifr.design.seed=…}.
 */
@Tag("crash")
class DesignCrashPointsTest {
  private static final long FIRST_SEED = Long.getLong("sifr.design.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.design.seeds", 1);

  private static final int MOST_STEPS = 60;

  @ParameterizedTest(name = "power loss at {0}")
  @EnumSource
  void powerLoss(DesignStep step) {
    crash(step, Death.POWER_LOSS);
  }

  @ParameterizedTest(name = "killed at {0}")
  @EnumSource
  void killed(DesignStep step) {
    crash(step, Death.KILL);
  }

  private static void crash(DesignStep step, Death death) {
    new RunsUntilReached(death + " " + step, FIRST_SEED, SEEDS)
        .run(
            seed -> new CrashSearch(seed, step.scenario(), UnaryOperator.identity()),
            (search, random) ->
                search.runAt(step.aims(), death, random.nextInt(MOST_STEPS), step.toString()));
  }
}
