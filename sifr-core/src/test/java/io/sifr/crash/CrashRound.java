package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.PolicyRules;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/**
 * A store is opened on what a crash left, compared with the states it may be in, written to, and
 * closed. Meanwhile the disk is frozen before, in and after its calls: so one run gives the crash
 * points of all of them. That the store goes on afterwards changes nothing of what was frozen.
 */
final class CrashRound {
  /** Where the stores of all rounds lie. */
  static final Path DIRECTORY = Path.of("/store");

  /** A segment that was being filled may stay until something is logged again. */
  private static final String FILE_OF_A_CLOSED_STORE =
      "LOCK|CURRENT|FAST|COLD|[0-9]{12}\\.(manifest|sst|tail|values|filters|wal\\.new)";

  /** As above, when some of what was written may be left in the log. */
  private static final String OR_SEGMENT = "|[0-9]{12}\\.wal";

  /**
   * What a store may hold.
   *
   * @param states the states it may be in, the one with the fewest steps first
   * @param ifPowerFails the states it may be in when the machine loses power before it is open:
   *     what a killed process leaves is not durable yet
   */
  record Allowed(List<ModelState> states, List<ModelState> ifPowerFails) {}

  /**
   * A moment at which the machine may die.
   *
   * @param disk the disk at that moment
   * @param where which moment of which call, or which step had just been done
   * @param durable how many steps of the round were durable for sure
   * @param returned how many had returned
   * @param begun how many had begun; -1 while the store was being opened
   */
  record Point(FrozenDisk disk, List<Object> where, int durable, int returned, int begun) {
    boolean isOpening() {
      return begun < 0;
    }

    /** Whether it is about the same disk as a later one. */
    boolean holdsAlso(Point later) {
      return disk == later.disk && isOpening() == later.isOpening();
    }

    /** Both in one: steps that have returned meanwhile needed nothing of the disk. */
    Point with(Point later) {
      return new Point(disk, where, later.durable, later.returned, Math.max(begun, later.returned));
    }
  }

  private final CrashDisk disk;
  private final StoreOptions options;
  private final Allowed allowed;
  private final Scenario scenario;
  private final int stepCount;
  private final Aim aim;
  private final int wantedPoints;
  private final Random random;

  // Guarded by the disk.
  private final Random choice;
  private final List<Point> points = new ArrayList<>();
  private int seenPoints;

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  // Written by the thread of the round, read by all that call the disk.
  private volatile int durable;
  private volatile int returned;
  private volatile int begun = -1;

  private final BlockCodec codec;
  private final List<ModelState> states = new ArrayList<>();
  private int refused;

  /**
   * @param stepCount how many steps to go on for
   * @param aim where the machine may die
   * @param wantedPoints how many crash points to keep, drawn from all of those
   */
  CrashRound(
      CrashDisk disk,
      StoreOptions options,
      Allowed allowed,
      Scenario scenario,
      int stepCount,
      Aim aim,
      int wantedPoints,
      Random random) {
    this.disk = disk;
    this.options = options;
    this.allowed = allowed;
    this.scenario = scenario;
    this.stepCount = stepCount;
    this.aim = aim;
    this.wantedPoints = wantedPoints;
    this.random = random;
    this.choice = new Random(random.nextLong());
    this.codec = TestCodecs.any(choice);
  }

  /**
   * Runs it.
   *
   * @param access what the store sees of the disk; the identity for all of it
   */
  void run(UnaryOperator<StoreFileSystem> access) {
    LeakCountingFileSystem files = new LeakCountingFileSystem(access.apply(disk.fileSystem()));
    disk.watch(this::look);
    Store store = open(files);
    begun = 0;
    try {
      ModelState found = ModelState.of(store);
      if (!allowed.states().contains(found)) {
        throw new AssertionError(
            "the store holds\n"
                + found
                + "\nwhich is none of\n"
                + String.join("\n", allowed.states().stream().map(ModelState::toString).toList()));
      }
      states.add(found);
      // One by one where some may be refused, on which those after it depend.
      int atOnce = scenario.fillsDisk() ? 1 : Math.max(1, stepCount);
      for (int drawn = 0; drawn < stepCount; drawn += atOnce) {
        for (Step step : scenario.steps(last(), atOnce, random)) {
          scenario.changeSpace(disk, random);
          run(store, step, states.size());
        }
      }
      assertThat(ModelState.of(store)).isEqualTo(last());
    } finally {
      store.close();
    }
    noteClosed();
    disk.watch((call, moment) -> {});
    assertThat(failures).allMatch(e -> scenario.fillsDisk() && e instanceof StoreFullException);
    files.assertNothingOpen();
    boolean mayKeepLog =
        options.keptLogBytes() > 0 || scenario.fillsDisk() || StepDrawing.isVolatile(files);
    String allowedNames = FILE_OF_A_CLOSED_STORE + (mayKeepLog ? OR_SEGMENT : "");
    assertThat(files.list(DIRECTORY)).allMatch(name -> name.matches(allowedNames));
    assertThat(TestChecks.run(files, DIRECTORY).findings()).isEmpty();
  }

  private Store open(StoreFileSystem files) {
    Extensions extensions =
        new Extensions(
            EntryKinds.STANDARD,
            TestCodecs.inSmallParts(codec),
            PolicyRules.withReads(scenario.policy(options, random), scenario.readRules(random)),
            new Extensions.Operators(List.of(FollowingWrites.OPERATOR), false),
            scenario.tuning(random),
            InstantSource.system());
    try {
      return TestStores.open(DIRECTORY, options, files, new Listener(), extensions);
    } catch (StoreFullException e) {
      if (!scenario.fillsDisk() || !options.fastIsVolatile()) {
        throw e;
      }
      disk.setCapacity(Long.MAX_VALUE); // what is lost with its device is made again, somewhere
      return TestStores.open(DIRECTORY, options, files, new Listener(), extensions);
    }
  }

  private void run(Store store, Step step, int number) {
    begun = number;
    boolean isDone = isDone(store, step);
    states.add(isDone ? step.after(last()) : last());
    returned = number;
    if (isDone && step.isDurable()) {
      durable = number;
    }
    if (aim == Aim.ANYWHERE) {
      synchronized (disk) {
        note(List.of(Moment.AFTER, step));
      }
    }
  }

  private boolean isDone(Store store, Step step) {
    try {
      step.run(store);
      return true;
    } catch (StoreFullException e) {
      if (!scenario.fillsDisk()) {
        throw e;
      }
      refused++;
      assertThat(ModelState.of(store)).as("after refused %s", step).isEqualTo(last());
      return false;
    }
  }

  /** What was written is durable when the store is closed, whether it was synced or not. */
  private void noteClosed() {
    durable = returned;
    if (aim == Aim.ANYWHERE) {
      synchronized (disk) {
        note(List.of(Moment.AFTER, "close"));
      }
    }
  }

  /** What the store held when it was closed. */
  ModelState last() {
    return states.get(states.size() - 1);
  }

  private void look(Call call, Moment moment) {
    if (call.changes() && aim.isAt(call, moment)) {
      note(List.of(moment, call));
    }
  }

  /** Called under the disk's monitor. */
  private void note(List<Object> where) {
    int place = points.size() < wantedPoints ? points.size() : choice.nextInt(seenPoints + 1);
    seenPoints++;
    if (place >= wantedPoints) {
      return;
    }
    // In this order: what has returned now is on the disk when it is frozen a moment later, and
    // what is on the disk then has begun.
    int durableNow = durable;
    int returnedNow = returned;
    FrozenDisk frozen = disk.freeze();
    Point point = new Point(frozen, where, durableNow, returnedNow, begun);
    if (place < points.size()) {
      points.set(place, point);
    } else if (place == 0 || !points.get(place - 1).holdsAlso(point)) {
      points.add(point);
    } else {
      points.set(place - 1, points.get(place - 1).with(point));
    }
  }

  /** How many steps were refused for lack of space. */
  int refused() {
    return refused;
  }

  /** The crash points that were kept, when it has run. */
  List<Point> points() {
    return points;
  }

  /** What a store may hold that is opened after a power loss. */
  Allowed afterPowerLoss(Point point) {
    List<ModelState> left = leftByPowerLoss(point);
    return new Allowed(left, left);
  }

  private List<ModelState> leftByPowerLoss(Point point) {
    if (point.isOpening()) {
      // What was not found before cannot come back.
      int found = allowed.ifPowerFails().lastIndexOf(states.get(0));
      return allowed.ifPowerFails().subList(0, found + 1);
    }
    return states.subList(point.durable(), point.begun() + 1);
  }

  /** What a store may hold whose process was killed. */
  Allowed afterKill(Point point) {
    return new Allowed(
        states.subList(point.returned(), Math.max(0, point.begun()) + 1), leftByPowerLoss(point));
  }

  /** Nothing may fail on a disk that does not. */
  private final class Listener implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      failures.add(event.cause());
    }
  }
}
