package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.FrozenDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Looks for a crash after which a store is not what it may be. A store is written to, and the
 * machine dies at each moment of each call to its disk. What is opened then goes on for a few steps
 * and may die again, up to three times in a row, so that opening is interrupted as well.
 */
final class CrashSearch {
  /** A store was not what it may be. */
  static final class Found extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final transient FrozenDisk image;

    Found(String story, FrozenDisk image, Throwable wrong) {
      super(story, wrong);
      this.image = image;
    }

    /** The same, with the image in a directory that the message names. */
    AssertionError saved() {
      Path directory = Path.of("target", "crash-images", "image-" + System.nanoTime());
      image.kill().copyTo(directory, CrashRound.DIRECTORY);
      return new AssertionError(getMessage() + "; the image is in " + directory, this);
    }
  }

  private static final int MOST_CRASHES_IN_A_ROW = 3;
  private static final int NEXT_CRASH_ONE_IN = 3;
  private static final int KILL_ONE_IN = 4;
  private static final int CHECK_ONE_IN = 4;
  private static final int MOST_LATER_STEPS = 12;
  private static final int MOST_CALLS_A_WRITE_BACK = 20;

  private final long seed;
  private final Random random;
  private final StepDrawing drawing;
  private final UnaryOperator<StoreFileSystem> access;
  private final Set<String> kindsOfCalls = new TreeSet<>();
  private long moments;
  private long images;

  /**
   * @param seed what steps, options and crashes are drawn from; before the first crash even ones
   *     map the log, odd ones write it
   * @param mostDatabases how many databases the store may have
   * @param access what the store sees of the disk; the identity for all of it
   */
  CrashSearch(long seed, int mostDatabases, UnaryOperator<StoreFileSystem> access) {
    this.seed = seed;
    this.random = new Random(seed);
    this.drawing = new StepDrawing(mostDatabases);
    this.access = access;
  }

  /**
   * Searches.
   *
   * @param steps how long the store is written to
   * @param imagesOfAMoment how many crashes to try at each moment of each call
   * @throws Found when it has found one
   */
  void run(int steps, int imagesOfAMoment) {
    StoreOptions options = options(seed % 2 == 0);
    List<ModelState> empty = List.of(ModelState.EMPTY);
    CrashRound first =
        new CrashRound(
            CrashDisk.with(CrashRound.DIRECTORY),
            options,
            new CrashRound.Allowed(empty, empty),
            drawing,
            steps,
            Integer.MAX_VALUE,
            random);
    first.run(access);
    moments = first.points().size();
    for (CrashRound.Point point : first.points()) {
      noteKind(point.where().get(1));
      for (int i = 0; i < imagesOfAMoment; i++) {
        crash(first, point, 1, "seed " + seed + ", " + options);
      }
    }
  }

  private StoreOptions options(boolean mapped) {
    return StepDrawing.options(mapped ? LogAccess.MAPPED : LogAccess.WRITTEN, random);
  }

  private void noteKind(Object where) {
    if (where instanceof Call call) {
      String name = String.valueOf(call.path().getFileName());
      kindsOfCalls.add(call.operation() + " " + name.replaceAll("[0-9]", ""));
    }
  }

  /** Lets the machine die at a moment of a round, and the store go on in another round. */
  private void crash(CrashRound round, CrashRound.Point point, int crashes, String story) {
    images++;
    boolean killed = random.nextInt(KILL_ONE_IN) == 0;
    CrashDisk image = killed ? point.disk().kill() : point.disk().crash(random);
    FrozenDisk before = image.freeze();
    if (random.nextBoolean()) {
      image.writeBackAtRandom(
          new Random(random.nextLong()), 1 + random.nextInt(MOST_CALLS_A_WRITE_BACK));
    }
    boolean again = crashes < MOST_CRASHES_IN_A_ROW && random.nextInt(NEXT_CRASH_ONE_IN) == 0;
    // Others each time: none of them is stored.
    StoreOptions options = options(random.nextBoolean());
    String longer =
        story + "; " + (killed ? "killed " : "power lost ") + point.where() + ", then " + options;
    CrashRound next =
        new CrashRound(
            image,
            options,
            killed ? round.afterKill(point) : round.afterPowerLoss(point),
            drawing,
            random.nextInt(MOST_LATER_STEPS),
            again ? 1 : 0,
            random);
    try {
      if (random.nextInt(CHECK_ONE_IN) == 0) {
        checkUnopened(before.kill());
      }
      next.run(access);
    } catch (RuntimeException | Error e) {
      throw new Found(longer, before, e);
    }
    for (CrashRound.Point later : next.points()) {
      crash(next, later, crashes + 1, longer);
    }
  }

  /** A crash leaves no fault but files that the next opening deletes. */
  private static void checkUnopened(CrashDisk image) {
    StoreFileSystem files = image.fileSystem();
    if (files.exists(CrashRound.DIRECTORY.resolve("CURRENT"))) {
      assertThat(TestChecks.run(files, CrashRound.DIRECTORY).findings())
          .allMatch(finding -> finding.what().endsWith("the next opening deletes it"));
    }
  }

  /** Which calls there were in the first round: verbs and names of files, without their numbers. */
  Set<String> kindsOfCalls() {
    return kindsOfCalls;
  }

  /** At how many moments of the first round it has let the machine die. */
  long moments() {
    return moments;
  }

  /** What has been left by how many crashes it has opened. */
  long images() {
    return images;
  }
}
