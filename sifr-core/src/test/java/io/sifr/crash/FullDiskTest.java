package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sifr.Store;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.testing.SearchLength;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Stores on full disks, see {@link FullDiskLives}. A longer run: {@code -Dsifr.full.seeds=1000};
 * another first seed: {@code -Dsifr.full.seed=…}.
 */
@Tag("crash")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class FullDiskTest {
  private static final long FIRST_SEED = Long.getLong("sifr.full.seed", 1);
  private static final int SEEDS = Integer.getInteger("sifr.full.seeds", SearchLength.of(10, 20));
  private static final int LIVES = 4;
  private static final int STEPS = 30;
  private static final int MOST_ROUNDS = 40;
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.sifr.internal");

  /** What fails is reported many times here, and is what is wanted. */
  @BeforeAll
  static void logNothing() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void logAgain() {
    LOG.setLevel(null);
  }

  /**
   * It is filled by its writes, and nobody else uses the disk or makes it larger: what is left
   * suffices to delete, to flush and to merge, and then it takes writes again.
   */
  @Test
  void aStoreThatFillsItsDiskMakesRoomByDeletes() {
    search("filled by the store", random -> filledByItself(random));
  }

  /**
   * Others take all that is left of the disk, to the last byte, while the store is written to: it
   * is opened, read and closed all the same, and takes writes as soon as there is space.
   */
  @Test
  void aStoreIsOpenedOnADiskThatOthersHaveFilled() {
    search("filled by others", random -> filledByOthers(random));
  }

  /** With SSTs of several pages, so that they take about as much as what is in them. */
  private static final class LargerSsts implements Scenario {
    private final StepDrawing drawing = new StepDrawing(4);

    @Override
    public StoreOptions options(LogAccess logAccess, Random random) {
      return drawing
          .builder(logAccess, random)
          .earlyCleaning(true) // else a merge takes as much as its inputs
          .splitUnitBytes(16 << 10)
          .writeBufferBytes((16 << 10) << random.nextInt(2))
          .totalWriteBufferBytes((64 << 10) << random.nextInt(2))
          .build();
    }

    @Override
    public List<Step> steps(ModelState first, int count, Random random) {
      return drawing.steps(first, count, random).stream()
          .filter(step -> !(step instanceof Step.Load)) // which may take all there is
          .toList();
    }
  }

  private interface Life {
    FullDiskLives run(Random random);
  }

  private static void search(String name, Life life) {
    int steps = 0;
    int refused = 0;
    int openings = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      try {
        FullDiskLives lives = life.run(new Random(seed));
        steps += lives.steps();
        refused += lives.refused();
        openings += lives.openings();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(name + ", seed " + seed, e);
      }
    }
    System.out.printf(
        "%s: %d steps, %d of them refused, %d openings, seeds from %d on%n",
        name, steps, refused, openings, FIRST_SEED);
    assertThat(refused).isPositive();
  }

  private static FullDiskLives filledByItself(Random random) {
    FullDiskLives lives = new FullDiskLives(new LargerSsts(), random);
    lives.setCapacity((320 << 10) + random.nextInt(96 << 10));
    for (int life = 0; life < LIVES; life++) {
      Store store = lives.open();
      int refusedBefore = lives.refused();
      for (int i = 0; i < MOST_ROUNDS && lives.refused() == refusedBefore; i++) {
        lives.take(store, lives.draw(STEPS));
      }
      lives.end(store);
      Store again = lives.open();
      lives.makeRoom(again);
      lives.end(again);
    }
    lives.finish(lives.open());
    return lives;
  }

  private static FullDiskLives filledByOthers(Random random) {
    FullDiskLives lives = new FullDiskLives(new StepDrawing(4), random);
    Consumer<Store> fill =
        store -> {
          lives.take(store, lives.draw(random.nextInt(STEPS)));
          lives.setFree(random.nextInt(3) == 0 ? random.nextInt(64 << 10) : 0);
          lives.take(store, lives.draw(random.nextInt(STEPS)));
        };
    for (int life = 0; life < LIVES; life++) {
      lives.setCapacity(Long.MAX_VALUE);
      Store store = lives.open();
      fill.accept(store);
      lives.end(store);
      for (int opening = random.nextInt(3); opening >= 0; opening--) {
        lives.setFree(random.nextInt(3) == 0 ? random.nextInt(16 << 10) : 0);
        Store full = lives.open();
        lives.take(full, lives.draw(random.nextInt(6)));
        if (random.nextInt(3) == 0) {
          lives.tryToDeleteAll(full);
        }
        lives.end(full);
      }
      Store last = lives.open();
      lives.take(last, lives.draw(random.nextInt(6)));
      lives.setCapacity(Long.MAX_VALUE);
      lives.flushAndCompact(last);
      assertThat(lives.put(last)).as("a write is taken").isTrue();
      lives.end(last);
    }
    lives.setCapacity(Long.MAX_VALUE);
    lives.finish(lives.open());
    return lives;
  }
}
