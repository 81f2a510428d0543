package io.sifr.crash;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.IngestFiles;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.SearchLength;
import io.sifr.testing.TestPolicies;
import io.sifr.testing.Waiting;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Every call of every kind fails, once or from then on, in a fixed scenario: a store that a crash
 * has left within a merge is opened, written to until it has flushed, merged, moved, rolled its
 * log, made and dropped databases, and closed. It carries on, as it must where an SST was made or
 * read, or it stops writes with the cause. Nothing acknowledged is lost, not even when power fails
 * after it; the store opens again, is sound, and goes on; nothing stays open.
 *
 * <p>There is no call to truncate a file. All calls, not one in so many: {@code
 * -Dsifr.faults.stride=1}. Threads of the store are real ones, so the same number may be another
 * call each time; but every number up to the largest seen is tried.
 */
@Tag("crash")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EveryCallFailsOnceTest {
  private static final int STRIDE =
      Integer.getInteger("sifr.faults.stride", SearchLength.of(120, 60));

  private static final List<CompactionPolicy.Kind> POLICIES = PolicyRules.MERGING;
  private static final int CLEAN_RUNS = 3;
  private static final int POWER_LOSSES = 1;
  private static final int ROUNDS = 3;
  private static final int EARLIER_STEPS = 25;
  private static final int LATER_STEPS = 3;
  private static final int MOST_CALLS_BEFORE_THE_DISK_IS_FULL = 3000;

  /** Kinds of calls for which space may be lacking. */
  private static final Set<Operation> NEEDING_SPACE =
      EnumSet.of(
          Operation.CREATE_DIRECTORIES,
          Operation.CREATE,
          Operation.APPEND,
          Operation.SYNC,
          Operation.WRITE,
          Operation.MAP_FOR_WRITE,
          Operation.FORCE,
          Operation.RENAME,
          Operation.LINK,
          Operation.SYNC_DIRECTORY,
          Operation.LOCK);

  /** Kinds of calls that are others when the log is not mapped. */
  private static final Set<Operation> OF_A_WRITTEN_LOG =
      EnumSet.of(Operation.SYNC, Operation.OPEN_FOR_WRITE, Operation.WRITE);

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.sifr.internal");

  private static long points;
  private static long runs;
  private static long unnoticed;
  private static long stopped;

  /** How the calls of a kind fail. */
  record Kind(Operation operation, Fault fault, boolean forGood, LogAccess logAccess) {
    @Override
    public String toString() {
      return operation
          + " fails with "
          + fault
          + (forGood ? " from then on" : " once")
          + ", log "
          + logAccess;
    }
  }

  /** The store that is opened first, and what it holds. */
  private record Start(
      FrozenDisk disk,
      ModelState state,
      StoreOptions options,
      List<Step> steps,
      Map<Operation, Long> calls) {}

  private static final Map<LogAccess, Start> STARTS = new EnumMap<>(LogAccess.class);

  /** What fails is reported many times here, and is what is wanted. */
  @BeforeAll
  static void logNothing() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void tell() {
    LOG.setLevel(null);
    System.out.printf(
        "%d points, %d runs; %d of them hid the fault, %d stopped writes%n",
        points, runs, unnoticed, stopped);
    STARTS.forEach((logAccess, start) -> System.out.println(logAccess + ": " + start.calls()));
  }

  static Stream<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    for (Operation operation : Operation.values()) {
      if (operation != Operation.WRITE) {
        add(kinds, operation, LogAccess.MAPPED);
      }
      if (OF_A_WRITTEN_LOG.contains(operation)) {
        add(kinds, operation, LogAccess.WRITTEN);
      }
    }
    return kinds.stream();
  }

  private static void add(List<Kind> kinds, Operation operation, LogAccess logAccess) {
    for (Fault fault : Fault.values()) {
      boolean isOther =
          switch (fault) {
            case EIO -> true;
            case EMFILE -> FaultyFileSystem.OPENING.contains(operation); // elsewhere it is as EIO
            case ENOSPC -> NEEDING_SPACE.contains(operation);
          };
      if (isOther) {
        kinds.add(new Kind(operation, fault, false, logAccess));
        kinds.add(new Kind(operation, fault, true, logAccess));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void storeCarriesOnOrStopsWrites(Kind kind) {
    Start start = STARTS.computeIfAbsent(kind.logAccess(), EveryCallFailsOnceTest::start);
    long largest = start.calls().getOrDefault(kind.operation(), 0L);
    assertThat(largest).as("calls").isPositive();
    // Not the first call each time, which is made while the store is opened.
    long first = kind.forGood() ? 1 + STRIDE / 2 : STRIDE;
    for (long nth = Math.min(first, largest); nth <= largest; nth += STRIDE) {
      long calls = runWithFault(start, kind, (int) nth);
      if (!kind.forGood()) {
        largest = Math.max(largest, calls);
      }
      points++;
    }
  }

  /** Every second time everything is flushed at close, else some stays in the log. */
  private static StoreOptions options(Kind kind, int nth, CompactionPolicy.Kind policy) {
    long kept = nth / STRIDE % 2 == 0 ? 0 : StoreOptions.DEFAULT.keptLogBytes();
    return builder(kind.logAccess()).keptLogBytes(kept).compaction(policy(policy)).build();
  }

  private static FaultRun run(Start start, StoreOptions options) {
    CrashDisk disk = start.disk().kill();
    disk.syncAll();
    runs++;
    return new FaultRun(disk, options, start.state());
  }

  /** Returns how many calls of that kind there were. */
  private static long runWithFault(Start start, Kind kind, int nth) {
    // Policies take turns, and most find what another one has begun.
    CompactionPolicy.Kind policy = POLICIES.get((int) (points % POLICIES.size()));
    FaultRun run = run(start, options(kind, nth, policy));
    FaultyFileSystem faults = run.faults();
    if (kind.forGood()) {
      faults.failForGood(kind.operation(), FaultyFileSystem.ANY_PATH, nth, kind.fault());
    } else {
      faults.failOnce(kind.operation(), FaultyFileSystem.ANY_PATH, nth, kind.fault());
    }
    try {
      run.run(start.steps());
      if (!kind.forGood() && kind.fault() != Fault.ENOSPC && run.isOpen() && !run.hasStopped()) {
        // What is tried again succeeds then, and nobody has to know.
        assertThat(run.carriesOn()).as("write is taken after the fault").isTrue();
      }
      if (kind.fault() == Fault.EMFILE) {
        assertThat(run.hasStopped()).as("stopped for lack of descriptors").isFalse();
      }
      Random random = new Random(nth);
      goOn(run.disk().kill(), run.afterwards(), start.options(), random);
      for (int i = 0; i < POWER_LOSSES; i++) {
        goOn(run.disk().crash(random), run.afterPowerLoss(), start.options(), random);
      }
    } catch (RuntimeException | Error e) {
      throw new AssertionError(kind + ", call " + nth + ", " + policy, e);
    }
    unnoticed += run.isNoticed() ? 0 : 1;
    stopped += run.hasStopped() ? 1 : 0;
    return faults.calls(kind.operation());
  }

  /** At any call that opens something, and for a while: nothing is torn by that. */
  @Test
  void lackOfDescriptorsStopsNothingForGood() {
    long seed = Long.getLong("sifr.faults.seed", System.nanoTime());
    int draws = Integer.getInteger("sifr.faults.draws", 40);
    Random random = new Random(seed);
    long noticed = 0;
    for (int draw = 0; draw < draws; draw++) {
      LogAccess logAccess = random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN;
      Start start = STARTS.computeIfAbsent(logAccess, EveryCallFailsOnceTest::start);
      int opening =
          FaultyFileSystem.OPENING.stream()
              .mapToInt(operation -> start.calls().getOrDefault(operation, 0L).intValue())
              .sum();
      int nth = 1 + random.nextInt(opening);
      int faults = 1 << random.nextInt(8);
      Kind kind = new Kind(Operation.CREATE, Fault.EMFILE, false, logAccess);
      CompactionPolicy.Kind policy = POLICIES.get(random.nextInt(POLICIES.size()));
      FaultRun run = run(start, options(kind, nth, policy));
      run.faults().lackDescriptors(nth, faults);
      try {
        run.run(
            start.steps(),
            store -> {
              run.faults().heal();
              Waiting.until("what was pending is done", () -> isDone(store));
            });
        assertThat(run.hasStopped()).isFalse();
        if (run.isOpen()) {
          assertThat(run.carriesOn()).isTrue();
        }
        goOn(run.disk().kill(), run.afterwards(), start.options(), random);
        goOn(run.disk().crash(random), run.afterPowerLoss(), start.options(), random);
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "seed %d, draw %d: %d lacks from %d on, %s, %s"
                .formatted(seed, draw, faults, nth, policy, logAccess),
            e);
      }
      noticed += run.isNoticed() ? 1 : 0;
    }
    System.out.printf(
        "lack of descriptors: seed %d, %d draws, %d of them noticed, none stopped writes%n",
        seed, draws, noticed);
  }

  /**
   * The disk is full from any call on, perhaps from the first, and for a while; and perhaps another
   * call fails. What is refused has changed nothing, and the store goes on when there is space.
   */
  @Test
  void aFullDiskStopsNothingForGood() {
    long seed = Long.getLong("sifr.faults.seed", System.nanoTime());
    int draws = Integer.getInteger("sifr.faults.draws", 40);
    Random random = new Random(seed);
    long refused = 0;
    long failed = 0;
    // In one database, for what follows depends on whether another one was made.
    List<Step> steps = steps(Store.DEFAULT_DATABASE);
    for (int draw = 0; draw < draws; draw++) {
      LogAccess logAccess = random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN;
      Start start = STARTS.computeIfAbsent(logAccess, EveryCallFailsOnceTest::start);
      long from = random.nextInt(3) == 0 ? 0 : random.nextInt(MOST_CALLS_BEFORE_THE_DISK_IS_FULL);
      long calls = 1L << random.nextInt(12);
      CompactionPolicy.Kind policy = POLICIES.get(random.nextInt(POLICIES.size()));
      Kind kind = anyKind(random, logAccess);
      int nth = 1 + random.nextInt(start.calls().getOrDefault(kind.operation(), 1L).intValue());
      boolean isAlone = random.nextBoolean();
      FaultRun run = run(start, options(kind, nth, policy));
      CrashDisk disk = run.disk();
      run.fillsUp();
      fill(disk, from, calls, random);
      if (!isAlone) {
        run.faults().failOnce(kind.operation(), FaultyFileSystem.ANY_PATH, nth, kind.fault());
      }
      try {
        run.run(
            steps,
            store -> {
              run.faults().heal();
              disk.watch((call, moment) -> {});
              disk.setCapacity(Long.MAX_VALUE);
              if (!run.hasStopped()) {
                Waiting.until("what was pending is done", () -> isDone(store));
              }
            });
        if (isAlone) {
          assertThat(run.isOpen()).isTrue();
          assertThat(run.hasStopped()).isFalse();
        }
        if (run.isOpen() && !run.hasStopped()) {
          assertThat(run.carriesOn()).isTrue();
        }
        goOnFull(disk.kill(), run.afterwards(), start.options(), random);
        goOnFull(disk.crash(random), run.afterPowerLoss(), start.options(), random);
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "seed %d, draw %d: full for %d calls from %d on, %s, call %d%s, %s"
                .formatted(seed, draw, calls, from, kind, nth, isAlone ? " does not" : "", policy),
            e);
      }
      refused += run.refused();
      failed += run.hasStopped() ? 1 : 0;
    }
    System.out.printf(
        "full disk: seed %d, %d draws, %d calls refused, %d stopped by another fault%n",
        seed, draws, refused, failed);
  }

  private static Kind anyKind(Random random, LogAccess logAccess) {
    List<Kind> kinds =
        kinds()
            .filter(kind -> kind.fault() != Fault.ENOSPC && kind.logAccess() == logAccess)
            .toList();
    return kinds.get(random.nextInt(kinds.size()));
  }

  /** Takes all but little of the space at a call, and gives it back some calls later. */
  private static void fill(CrashDisk disk, long from, long calls, Random random) {
    int left = random.nextInt(3) == 0 ? random.nextInt(64 << 10) : 0;
    if (from == 0) {
      disk.setCapacity(disk.usedBytes() + left);
    }
    disk.watch(
        (call, moment) -> {
          if (moment == CrashDisk.Moment.BEFORE && call.number() == from) {
            disk.setCapacity(disk.usedBytes() + left);
          } else if (call.number() == from + calls) {
            disk.setCapacity(Long.MAX_VALUE);
          }
        });
  }

  /** Opens what was left on a disk that is full or has some space, and goes on. */
  private static void goOnFull(
      CrashDisk disk, CrashRound.Allowed allowed, StoreOptions options, Random random) {
    FillingDisk.change(disk, random);
    new CrashRound(disk, options, allowed, new FillingDisk(1), LATER_STEPS, Aim.ANYWHERE, 0, random)
        .run(UnaryOperator.identity());
  }

  /** Work that has failed often is tried again after a pause, and says so meanwhile. */
  private static boolean isDone(Store store) {
    try {
      store.awaitIdle();
      return true;
    } catch (FileNotOpenedException | StoreFullException e) {
      return false;
    }
  }

  private static void goOn(
      CrashDisk disk, CrashRound.Allowed allowed, StoreOptions options, Random random) {
    StepDrawing drawing = new StepDrawing(1);
    new CrashRound(disk, options, allowed, drawing, LATER_STEPS, Aim.ANYWHERE, 0, random)
        .run(UnaryOperator.identity());
  }

  // The scenario.

  private static StoreOptions options(LogAccess logAccess) {
    return builder(logAccess).build();
  }

  private static CompactionPolicy policy(CompactionPolicy.Kind kind) {
    return TestPolicies.of(kind, "growthFactor=2", "trees=2", "firstLevel=16KiB", "factor=2");
  }

  private static StoreOptions.Builder builder(LogAccess logAccess) {
    return StoreOptions.builder()
        .writeBufferBytes(8192)
        .totalWriteBufferBytes(24 << 10)
        .splitUnitBytes(4096)
        .compaction(policy(CompactionPolicy.Kind.SPLIT_FOREST))
        .logAccess(logAccess)
        .logSegmentBytes(8192)
        .maxLogBytes(1 << 16)
        .compactionThreads(1);
  }

  /** A store that is killed within a merge that has committed something. */
  private static Start start(LogAccess logAccess) {
    StoreOptions options = options(logAccess);
    StepDrawing drawing = new StepDrawing(1);
    List<ModelState> empty = List.of(ModelState.EMPTY);
    Random random = new Random(1);
    CrashRound.Point point = null;
    while (point == null) {
      CrashRound round =
          new CrashRound(
              CrashDisk.with(CrashRound.DIRECTORY),
              options,
              new CrashRound.Allowed(empty, empty),
              drawing,
              EARLIER_STEPS,
              DesignStep.unfinished().get(),
              1,
              random);
      round.run(UnaryOperator.identity());
      point = round.points().isEmpty() ? null : round.points().get(0);
    }
    ModelState found;
    try (Store store =
        TestStores.open(
            CrashRound.DIRECTORY,
            options,
            FaultRun.SMALL_COMMITS,
            point.disk().kill().fileSystem())) {
      found = ModelState.of(store);
    }
    Start start =
        new Start(point.disk(), found, options, steps("second"), new EnumMap<>(Operation.class));
    for (int i = 0; i < CLEAN_RUNS; i++) {
      countCalls(start);
    }
    return start;
  }

  private static void countCalls(Start start) {
    FaultRun run = run(start, start.options());
    run.run(start.steps());
    assertThat(run.isNoticed()).isFalse();
    for (Operation operation : Operation.values()) {
      start.calls().merge(operation, run.faults().calls(operation), Math::max);
    }
  }

  /**
   * All steps.
   *
   * @param second name of a database that is made and dropped; that of the default one for none
   */
  private static List<Step> steps(String second) {
    StepDrawing drawing = new StepDrawing(1);
    List<Step> steps = new ArrayList<>();
    boolean isOther = !second.equals(Store.DEFAULT_DATABASE);
    if (isOther) {
      steps.add(new Step.Create(second));
    }
    steps.add(new Step.Separate(Store.DEFAULT_DATABASE, 1));
    for (int round = 0; round < ROUNDS; round++) {
      for (int key = 0; key < 6; key++) {
        Durability durability = key == 2 ? Durability.SYNC : Durability.BUFFERED;
        steps.add(drawing.stream(Store.DEFAULT_DATABASE, key, durability, key == 3));
      }
      steps.add(batch(drawing, Store.DEFAULT_DATABASE, round, Durability.BUFFERED));
      steps.add(batch(drawing, second, round + 1, Durability.SYNC));
      steps.add(delete(round));
      steps.add(deleteRange(round));
      Step.InFlight inFlight = new Step.InFlight();
      for (int i = 0; i < 3; i++) {
        Step.Operation put = drawing.put(Store.DEFAULT_DATABASE, round + 5 * i);
        steps.add(new Step.WriteAsync(List.of(put), inFlight, i == 0));
      }
      steps.add(new Step.AwaitDurable(inFlight));
      steps.add(batch(drawing, Store.DEFAULT_DATABASE, round + 2, Durability.SYNC));
      if (round == 0) {
        steps.add(new Step.Flush());
        steps.add(new Step.AwaitIdle());
        steps.add(ingest(drawing, second));
      } else {
        steps.add(new Step.Sync());
        steps.add(new Step.Checkpoint(round));
        steps.add(new Step.Compact(round == 1 ? Store.DEFAULT_DATABASE : second));
      }
    }
    if (isOther) {
      steps.add(new Step.Drop(second));
    }
    steps.add(batch(drawing, Store.DEFAULT_DATABASE, 0, Durability.BUFFERED));
    return steps;
  }

  private static Step delete(int key) {
    return new Step.Write(
        List.of(new Step.Operation(Store.DEFAULT_DATABASE, key, null)), Durability.BUFFERED);
  }

  /** Some of the keys of a kind, and later all of them. */
  private static Step deleteRange(int kind) {
    byte[] key = ModelState.key(kind + 8 * ModelState.KINDS_OF_KEYS);
    KeyRange range = kind == 0 ? KeyRange.between(ModelState.key(0), key) : KeyRange.prefix(key);
    return new Step.Write(
        List.of(new Step.Operation(Store.DEFAULT_DATABASE, range)), Durability.BUFFERED);
  }

  /** Into two databases. */
  private static Step ingest(StepDrawing drawing, String second) {
    List<Step.Operation> operations = new ArrayList<>();
    KeyRange range = KeyRange.between(ModelState.key(4), ModelState.key(40));
    operations.add(new Step.Operation(Store.DEFAULT_DATABASE, range));
    for (int key = 0; key < ModelState.KEYS; key += ModelState.KINDS_OF_KEYS) {
      operations.add(drawing.put(Store.DEFAULT_DATABASE, key));
      operations.add(drawing.put(second, key + 1));
    }
    return new Step.Ingest(operations, IngestFiles.LINK);
  }

  /** Neighbours, so that some SSTs are moved; a few pages, so that the log goes on. */
  private static Step batch(StepDrawing drawing, String database, int kind, Durability durability) {
    List<Step.Operation> operations = new ArrayList<>();
    for (int key = kind % ModelState.KINDS_OF_KEYS;
        key < ModelState.KEYS;
        key += ModelState.KINDS_OF_KEYS) {
      operations.add(drawing.put(database, key));
    }
    return new Step.Write(operations, durability);
  }
}
