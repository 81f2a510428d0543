package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Throwables;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.error.SifrException;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

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

    // With what was wrong first: reports cut long messages, and leave out causes.
    Found(String story, FrozenDisk image, Throwable wrong) {
      super(Throwables.getStackTraceAsString(wrong) + story, wrong);
      this.image = image;
    }

    /** The same, with all files of the image in a directory that the message names. */
    AssertionError saved() {
      Path directory = Path.of("target", "crash-images", "image-" + System.nanoTime());
      image.kill().copyTo(directory);
      return new AssertionError(getMessage() + "; the image is in " + directory, this);
    }
  }

  /** How the machine dies. */
  enum Death {
    /** Of what was not synced some is lost. */
    POWER_LOSS,
    /** Only the process ends; what it has written is there, and not more durable than before. */
    KILL,
    /** The one or the other. */
    EITHER;

    private boolean isKill(Random random) {
      return this == KILL || (this == EITHER && random.nextInt(KILL_ONE_IN) == 0);
    }
  }

  private static final int MOST_CRASHES_IN_A_ROW = 3;
  private static final int NEXT_CRASH_ONE_IN = 3;
  private static final int KILL_ONE_IN = 4;
  private static final int CHECK_ONE_IN = 4;
  private static final int MOST_LATER_STEPS = 12;
  private static final int MOST_STEPS_OF_A_CLOSED_LIFE = 8;
  private static final int MOST_CALLS_A_WRITE_BACK = 20;

  private static final Predicate<String> FILE_OF_A_STORE =
      Pattern.compile(
              "LOCK|(CURRENT|FAST|COLD)(\\.tmp)?"
                  + "|[0-9]{12}\\.(manifest|sst|tail|values|filters|wal|wal\\.new)")
          .asMatchPredicate();

  private final long seed;
  private final Random random;
  private final Scenario scenario;
  private final UnaryOperator<StoreFileSystem> access;
  private final Set<String> kindsOfCalls = new TreeSet<>();
  private int closedLives;
  private long moments;
  private long images;
  private long refused;

  /**
   * @param seed what steps, options and crashes are drawn from; before the first crash even ones
   *     map the log, odd ones write it
   * @param mostDatabases how many databases the store may have
   * @param access what the store sees of the disk; the identity for all of it
   */
  CrashSearch(long seed, int mostDatabases, UnaryOperator<StoreFileSystem> access) {
    this(seed, new StepDrawing(mostDatabases), access);
  }

  /** As above, in another scenario. */
  CrashSearch(long seed, Scenario scenario, UnaryOperator<StoreFileSystem> access) {
    this.seed = seed;
    this.random = new Random(seed);
    this.scenario = scenario;
    this.access = access;
  }

  /** Has the store opened, written to and closed so often before its first crash. */
  CrashSearch afterClosedLives(int lives) {
    closedLives = lives;
    return this;
  }

  /**
   * Searches.
   *
   * @param steps how long the store is written to
   * @param stride at one in how many moments of its calls the machine dies
   * @param imagesOfAMoment how many crashes to try at each of these moments
   * @throws Found when it has found one
   */
  void run(int steps, int stride, int imagesOfAMoment) {
    StoreOptions options = options(seed % 2 == 0);
    CrashRound first = first(options, steps, Aim.ANYWHERE, Integer.MAX_VALUE);
    moments = first.points().size();
    first.points().forEach(point -> noteKind(point.where().get(1)));
    for (int at = random.nextInt(stride); at < moments; at += stride) {
      for (int i = 0; i < imagesOfAMoment; i++) {
        crash(first, first.points().get(at), Death.EITHER, 1, "seed " + seed + ", " + options);
      }
    }
  }

  private CrashRound first(StoreOptions options, int steps, Aim aim, int wantedPoints) {
    CrashDisk disk = CrashDisk.with(CrashRound.DIRECTORY);
    ModelState state = ModelState.EMPTY;
    boolean isEncrypted = seed % 3 == 0;
    for (int life = 0; life < closedLives; life++) {
      if (isEncrypted) {
        disk.encrypt(random.nextInt(3));
      }
      StoreOptions before = options(random.nextBoolean());
      int few = random.nextInt(MOST_STEPS_OF_A_CLOSED_LIFE);
      CrashRound closed = round(disk, state, before, few, Aim.ANYWHERE, 0);
      state = closed.last();
      disk = disk.kill();
    }
    if (isEncrypted) {
      disk.encrypt(1 + random.nextInt(2));
    }
    return round(disk, state, options, steps, aim, wantedPoints);
  }

  private CrashRound round(
      CrashDisk disk,
      ModelState state,
      StoreOptions options,
      int steps,
      Aim aim,
      int wantedPoints) {
    List<ModelState> allowed = List.of(state);
    CrashRound round =
        new CrashRound(
            disk,
            options,
            new CrashRound.Allowed(allowed, allowed),
            scenario,
            steps,
            aim,
            wantedPoints,
            random);
    round.run(access);
    refused += round.refused();
    return round;
  }

  /**
   * Lets the machine die where it is told to: once for each aim, and perhaps again after the last
   * one.
   *
   * @param aims where, in one life of the store after the other
   * @param death how the machine dies there
   * @param steps how long the store is written to in each of these lives
   * @param story what the search is about
   * @return whether the machine has died at all of them; when a life has no such moment, it has not
   * @throws Found when it has found a crash after which the store is not what it may be
   */
  boolean runAt(List<Aim> aims, Death death, int steps, String story) {
    StoreOptions options = options(random.nextBoolean());
    String longer = story + ", seed " + seed + ", " + options;
    CrashRound round = first(options, steps, aims.get(0), 1);
    int crashes = 1;
    for (Aim aim : aims.subList(1, aims.size())) {
      if (round.points().isEmpty()) {
        return false;
      }
      CrashRound.Point point = round.points().get(0);
      Crash crash = die(round, point, death, steps, aim, 1, longer);
      longer = crash.story();
      round = crash.next();
      crashes++;
    }
    if (round.points().isEmpty()) {
      return false;
    }
    crash(round, round.points().get(0), death, crashes, longer);
    return true;
  }

  private StoreOptions options(boolean mapped) {
    return scenario.options(mapped ? LogAccess.MAPPED : LogAccess.WRITTEN, random);
  }

  private void noteKind(Object where) {
    if (where instanceof Call call) {
      String name = String.valueOf(call.path().getFileName());
      kindsOfCalls.add(call.operation() + " " + name.replaceAll("[0-9]", ""));
    }
  }

  /**
   * Lets the machine die at a moment of a round, and the store go on in another round, in which it
   * may die again.
   */
  private void crash(
      CrashRound round, CrashRound.Point point, Death death, int crashes, String story) {
    boolean again = crashes < MOST_CRASHES_IN_A_ROW && random.nextInt(NEXT_CRASH_ONE_IN) == 0;
    int steps = random.nextInt(MOST_LATER_STEPS);
    Crash crash = die(round, point, death, steps, Aim.ANYWHERE, again ? 1 : 0, story);
    for (CrashRound.Point later : crash.next().points()) {
      crash(crash.next(), later, Death.EITHER, crashes + 1, crash.story());
    }
  }

  /**
   * What followed a crash.
   *
   * @param next the round that went on with what was left
   * @param story all that had happened until it began
   */
  private record Crash(CrashRound next, String story) {}

  /** Lets the machine die at a moment of a round, and the store go on in another round. */
  private Crash die(
      CrashRound round,
      CrashRound.Point point,
      Death death,
      int steps,
      Aim aim,
      int wantedPoints,
      String story) {
    images++;
    boolean killed = death.isKill(random);
    CrashDisk image = killed ? point.disk().kill() : point.disk().crash(random);
    if (!killed) {
      StepDrawing.loseVolatile(image.fileSystem());
    }
    FrozenDisk before = image.freeze();
    checkNames(before.kill());
    if (random.nextBoolean()) {
      image.writeBackAtRandom(
          new Random(random.nextLong()), 1 + random.nextInt(MOST_CALLS_A_WRITE_BACK));
    }
    // Others each time: none of them is stored.
    StoreOptions options = options(random.nextBoolean());
    String longer =
        story + "; " + (killed ? "killed " : "power lost ") + point.where() + ", then " + options;
    CrashRound.Allowed allowed = killed ? round.afterKill(point) : round.afterPowerLoss(point);
    CrashRound next =
        new CrashRound(image, options, allowed, scenario, steps, aim, wantedPoints, random);
    try {
      if (random.nextInt(CHECK_ONE_IN) == 0) {
        checkUnopened(before.kill());
      }
      if (random.nextInt(CHECK_ONE_IN) == 0) {
        readOnly(before.kill(), options, allowed);
      }
      next.run(access);
      refused += next.refused();
    } catch (RuntimeException | Error e) {
      throw new Found(longer, before, e);
    }
    return new Crash(next, longer);
  }

  /**
   * There is no kind of file but these: no journal of a merge, which lies in the manifest, and no
   * map of where its outputs are.
   */
  private static void checkNames(CrashDisk image) {
    assertThat(image.fileSystem().list(CrashRound.DIRECTORY)).allMatch(FILE_OF_A_STORE);
  }

  /** A crash leaves no fault but files that the next opening deletes, and filters. */
  private static void checkUnopened(CrashDisk image) {
    StoreFileSystem files = image.fileSystem();
    if (files.exists(CrashRound.DIRECTORY.resolve("CURRENT"))) {
      assertThat(TestChecks.run(files, CrashRound.DIRECTORY).findings())
          .allMatch(
              finding -> finding.what().matches(".*the next opening (deletes it|makes it anew)"));
    }
  }

  /** Who only reads finds what an opening would, and changes nothing. */
  private static void readOnly(CrashDisk image, StoreOptions options, CrashRound.Allowed allowed) {
    StoreFileSystem files = image.fileSystem();
    if (files.exists(CrashRound.DIRECTORY.resolve("CURRENT"))) {
      image.watch((call, moment) -> assertThat(call.changes()).as(call.toString()).isFalse());
      LeakCountingFileSystem counting = new LeakCountingFileSystem(files);
      try (Store reader = TestStores.openReadOnly(CrashRound.DIRECTORY, options, counting)) {
        assertThat(ModelState.of(reader)).isIn(allowed.states());
      } catch (SifrException e) {
        if (!options.fastIsVolatile()
            || !String.valueOf(e.getMessage()).contains("which makes them again")) {
          throw e;
        }
      }
      counting.assertNothingOpen();
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

  /** How many steps were refused for lack of space. */
  long refused() {
    return refused;
  }

  /** What has been left by how many crashes it has opened. */
  long images() {
    return images;
  }
}
