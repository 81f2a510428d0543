package io.sifr.internal.compaction.run;

import io.sifr.internal.background.WorkMonitor.Attempts;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Picture;
import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.Rule.Look;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.WastedReads;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The compactions that run, and the next one: the first of all databases by {@link Priority} and
 * score, so that no database is neglected for another; of equally urgent ones the smallest, which
 * is done soonest. Those that have begun are resumed. None begins that conflicts with one that
 * runs. The caller synchronizes.
 */
public final class CompactionQueue {
  private static final Comparator<CompactionRun.Due> MOST_URGENT =
      Comparator.comparing(CompactionRun.Due::priority)
          .thenComparing(Comparator.comparingDouble(CompactionRun.Due::score).reversed())
          .thenComparingLong(CompactionRun.Due::inputBytes);

  /** The same, but after what writes nothing come those that have begun. */
  private static final Comparator<CompactionRun.Due> BEGUN_FIRST =
      Comparator.comparing((CompactionRun.Due due) -> due.priority() != Priority.DROP)
          .thenComparing(due -> due.plan().begun() == null)
          .thenComparing(MOST_URGENT);

  private static final long[] NO_SNAPSHOTS = {};

  private final CompactionPicker policy;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Snapshots snapshots;
  private final QuietTime quiet;
  private final LongSupplier clock;
  private final @Nullable Supplier<Picture.Upkeep> upkeep;
  private final Runnable wake;
  private final List<CompactionRun> active = new CopyOnWriteArrayList<>();

  /** The compactions that are due in a forest, until the next look. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Known(
      Forest forest,
      long[] snapshots,
      Picture.Upkeep upkeep,
      List<CompactionRun.Due> due,
      Look next) {
    boolean isOf(Forest newest, long[] seen, Picture.Upkeep wanted, LongSupplier clock) {
      return forest == newest
          && Arrays.equals(snapshots, seen)
          && (Objects.equals(upkeep, wanted) || isMetInAnyCase(wanted))
          && (next.time() == Look.NO_NEED || clock.getAsLong() < next.time());
    }

    private boolean isMetInAnyCase(Picture.Upkeep wanted) {
      return upkeep.key() == wanted.key()
          && Math.max(wanted.homeBefore(), upkeep.homeBefore()) <= forest.firstLogged();
    }
  }

  /** Of each database, because there may be many and each commit changes one forest or a few. */
  private final Map<DatabaseHandle, Known> known = new HashMap<>();

  /** After how many milliseconds more is due if nobody writes. */
  private long untilIdle = Look.NO_NEED;

  /** Compactions that a damaged file stopped. */
  private final List<CompactionRun.Due> damaged = new ArrayList<>();

  /** The failures of compactions that are to be retried. */
  private final Map<CompactionRun.Due, Attempts> attempts = new HashMap<>();

  /**
   * For databases whose whole forest is about to be compacted: other compactions must be smaller
   * than this.
   */
  private final Map<Integer, Long> limits = new HashMap<>();

  /**
   * @param quiet for how long nobody has written
   * @param clock the time, in milliseconds since the epoch
   * @param upkeep see {@link Picture#upkeep}; null if there is none, ever
   * @param wake has the background look for what is due; called by readers, so it must not wait
   */
  public CompactionQueue(
      CompactionPicker policy,
      Supplier<Collection<DatabaseHandle>> databases,
      Snapshots snapshots,
      QuietTime quiet,
      LongSupplier clock,
      @Nullable Supplier<Picture.Upkeep> upkeep,
      Runnable wake) {
    this.policy = policy;
    this.databases = databases;
    this.snapshots = snapshots;
    this.quiet = quiet;
    this.clock = clock;
    this.upkeep = upkeep;
    this.wake = wake;
  }

  /** The compactions that may begin, in no order. */
  List<CompactionRun.Due> due() {
    known.keySet().removeIf(DatabaseHandle::isDropped);
    untilIdle = Look.NO_NEED;
    Picture.Upkeep wanted = upkeep();
    List<CompactionRun.Due> due = new ArrayList<>();
    for (DatabaseHandle database : databases.get()) {
      if (!database.isDropped()) {
        for (CompactionRun.Due next : dueIn(database, wanted)) {
          if (mayBegin(next)) {
            due.add(next);
          }
        }
      }
    }
    if (due.isEmpty() && active.isEmpty()) {
      addAlone(due);
    }
    return due;
  }

  /** Adds what is due, now or later, only in a store in which nothing else is. */
  private void addAlone(List<CompactionRun.Due> due) {
    long idleMillis = quiet.millis();
    for (DatabaseHandle database : databases.get()) {
      StoreView view = database.view().get();
      if (!database.isDropped() && view.immutables().isEmpty()) {
        CompactionRun.Due next = dueAlone(database, view.forest(), idleMillis);
        if (next != null && mayBegin(next)) {
          due.add(next);
        }
      }
    }
  }

  private CompactionRun.@Nullable Due dueAlone(
      DatabaseHandle database, Forest forest, long idleMillis) {
    WastedReads wasted = database.wastedReads();
    boolean showsKeys = wasted.isToBeLookedAt();
    Picture.ReadCost reads =
        new Picture.ReadCost(
            wasted.credit(), wasted.flushed(), showsKeys ? wasted.keys() : List.of());
    List<CompactionRun.Due> due = new ArrayList<>();
    Look next =
        policy.propose(
            Priority::beginsAlone,
            Picture.of(forest, reads, idleMillis),
            proposal -> due.add(new CompactionRun.Due(database, proposal)));
    long credit = next.credit();
    if (credit != Look.NO_NEED) {
      if (showsKeys) {
        wasted.looked();
      }
      credit = Math.min(credit, wasted.nextLook());
    }
    // There is no timer: the read with which the credit is reached wakes the background, once.
    wasted.whenReached(credit, wake);
    if (next.idleMillis() != Look.NO_NEED) {
      untilIdle = Math.min(untilIdle, next.idleMillis() - idleMillis);
    }
    return mostUrgent(due).orElse(null);
  }

  private Picture.Upkeep upkeep() {
    Supplier<Picture.Upkeep> known = upkeep;
    return known == null ? Picture.Upkeep.NONE : known.get();
  }

  private List<CompactionRun.Due> dueIn(DatabaseHandle database, Picture.Upkeep wanted) {
    Forest forest = database.view().get().forest();
    Known last = known.get(database);
    long[] seen = snapshotsOf(forest);
    if (last == null || !last.isOf(forest, seen, wanted, clock)) {
      last = look(database, forest, seen, wanted);
      while (!snapshots.awaitRelease(last.next().releaseBefore(), last.snapshots())) {
        last = look(database, forest, snapshotsOf(forest), wanted);
      }
      known.put(database, last);
    }
    return last.due();
  }

  private long[] snapshotsOf(Forest forest) {
    return forest.hasRangeTombstones() ? snapshots.sequences() : NO_SNAPSHOTS;
  }

  private Known look(DatabaseHandle database, Forest forest, long[] seen, Picture.Upkeep wanted) {
    List<CompactionRun.Due> due = new ArrayList<>();
    Look next =
        policy.propose(
            priority -> !priority.beginsAlone() && !priority.isAwaited(),
            Picture.of(forest, seen, clock.getAsLong(), wanted),
            proposal -> due.add(new CompactionRun.Due(database, proposal)));
    return new Known(forest, seen, wanted, due, next);
  }

  /** What is to be compacted next for a caller; null if nothing is. */
  CompactionRun.@Nullable Due requested(DatabaseHandle database, Picture.Request request) {
    List<CompactionRun.Due> due = new ArrayList<>();
    var unused =
        policy.propose(
            Priority::isAwaited,
            Picture.of(database.view().get().forest(), request),
            proposal -> due.add(new CompactionRun.Due(database, proposal)));
    return mostUrgent(due).orElse(null);
  }

  /**
   * In how many milliseconds more may be due although nothing changes; {@link Look#NO_NEED} if
   * nothing will be.
   */
  long untilLook() {
    long next = Look.NO_NEED;
    for (Known each : known.values()) {
      next = Math.min(next, each.next().time());
    }
    long untilTime = next == Look.NO_NEED ? Look.NO_NEED : next - clock.getAsLong();
    return Math.min(untilTime, untilIdle);
  }

  private boolean mayBegin(CompactionRun.Due due) {
    boolean isExcluded =
        due.plan().begun() == null
            && due.inputBytes() >= limits.getOrDefault(due.database().id(), Long.MAX_VALUE);
    return !isExcluded && !isHeldUp(due) && !isActive(due) && !areTreesToMove(due.database());
  }

  private boolean areTreesToMove(DatabaseHandle database) {
    return active.stream().anyMatch(run -> run.database() == database && run.isAboutToMoveTrees());
  }

  /** The one that should begin first. */
  static Optional<CompactionRun.Due> mostUrgent(List<CompactionRun.Due> due) {
    return mostUrgent(due, false);
  }

  /**
   * The one that should begin first.
   *
   * @param begunFirst whether those that have begun go on before others begin, which hold parts of
   *     SSTs as well
   */
  static Optional<CompactionRun.Due> mostUrgent(List<CompactionRun.Due> due, boolean begunFirst) {
    return due.stream().min(begunFirst ? BEGUN_FIRST : MOST_URGENT);
  }

  private boolean isHeldUp(CompactionRun.Due due) {
    return damaged.stream().anyMatch(due::conflictsWith)
        || attempts.entrySet().stream()
            .anyMatch(
                failed -> failed.getValue().isPausing() && due.conflictsWith(failed.getKey()));
  }

  /** Those that are not running and conflict with none that runs. */
  List<CompactionRun.Due> withoutActive(List<CompactionRun.Due> some) {
    return some.stream().filter(due -> !isActive(due)).toList();
  }

  /** Whether a compaction that conflicts with it, or the same one, is running. */
  boolean isActive(CompactionRun.Due due) {
    Compaction begun = due.plan().begun();
    return active.stream()
        .anyMatch(run -> (begun != null && run.isRunOf(begun)) || due.conflictsWith(run.due()));
  }

  /**
   * The largest compaction of keys of a key range that has begun or is running; null when there is
   * none.
   */
  CompactionRun.@Nullable Due largestBegun(DatabaseHandle database, KeySpan span) {
    return Stream.concat(
            dueIn(database, upkeep()).stream().filter(due -> due.plan().begun() != null),
            active.stream().map(CompactionRun::due).filter(due -> due.database() == database))
        .filter(due -> isIn(due.plan().spans(), span))
        .max(Comparator.comparingLong(CompactionRun.Due::inputBytes))
        .orElse(null);
  }

  /** One of which nothing is left to compact must end, too: it has trees still. */
  private static boolean isIn(List<KeySpan> spans, KeySpan span) {
    return spans.isEmpty() || KeySpan.overlap(spans, List.of(span));
  }

  /** The smallest run of which a part waits for a thread. */
  @Nullable CompactionRun withWaitingPart() {
    return active.stream()
        .filter(CompactionRun::hasWaitingPart)
        .min(Comparator.comparingLong(CompactionRun::inputBytes))
        .orElse(null);
  }

  void began(CompactionRun run) {
    active.add(run);
  }

  void ended(CompactionRun run) {
    active.remove(run);
  }

  /** From now on nothing that conflicts with the run begins. */
  void damaged(CompactionRun run) {
    damaged.add(run.due());
  }

  /** Compactions that conflict with the run may begin again. */
  void readable(CompactionRun run) {
    damaged.remove(run.due());
  }

  /** The run's consecutive failures; during their pause nothing that conflicts with it begins. */
  Attempts attempts(CompactionRun run) {
    for (Map.Entry<CompactionRun.Due, Attempts> failed : attempts.entrySet()) {
      if (failed.getKey().conflictsWith(run.due())) {
        return failed.getValue();
      }
    }
    return attempts.computeIfAbsent(run.due(), due -> new Attempts());
  }

  /** The run succeeded. Returns how many had failed before. */
  int succeeded(CompactionRun run) {
    int failed = attempts.isEmpty() ? 0 : attempts(run).succeeded();
    attempts.keySet().removeIf(run.due()::conflictsWith);
    return failed;
  }

  /**
   * Whether a compaction waits to be retried.
   *
   * @throws io.sifr.error.StoreIoException its failure, if that should be reported to waiting
   *     threads
   */
  boolean awaitsAttempt() {
    attempts.keySet().removeIf(due -> due.database().isDropped());
    attempts.values().forEach(Attempts::check);
    return attempts.values().stream().anyMatch(Attempts::isPausing);
  }

  /** Those that have failed need not wait any longer. */
  void tryNow() {
    attempts.values().forEach(Attempts::next);
  }

  boolean isIdle() {
    return active.isEmpty() && limits.isEmpty();
  }

  /** Those that run now. May be called without synchronization. */
  List<CompactionRun> active() {
    return List.copyOf(active);
  }

  /** May be called without synchronization. */
  public int activeRuns() {
    return active.size();
  }

  /**
   * Begins to limit which compactions of a database may begin; at first none is excluded.
   *
   * @return false when another thread has closed the database already
   */
  boolean close(DatabaseHandle database) {
    return limits.putIfAbsent(database.id(), Long.MAX_VALUE) == null;
  }

  /** No compaction with that many bytes or more begins; those that have begun go on. */
  void closeFrom(DatabaseHandle database, long bytes) {
    limits.put(database.id(), bytes);
  }

  /** Whether a caller waits for the compactions of the database. */
  boolean isClosed(DatabaseHandle database) {
    return limits.containsKey(database.id());
  }

  /** Lifts the limit for compactions of the database. */
  void open(DatabaseHandle database) {
    limits.remove(database.id());
  }

  /** Whether callers' threads compact or are about to. */
  public boolean isUsedByCallers() {
    return !limits.isEmpty() || active.stream().anyMatch(CompactionRun::isAwaited);
  }

  /**
   * For how long nobody has written to a store. Writers do nothing for it: whether they have
   * written shows in the sequence number when somebody looks. The caller synchronizes.
   */
  static final class QuietTime {
    private final LongSupplier sequence;
    private final LongSupplier nanoTime;

    private long lastSequence;

    /** The time at which {@link #sequence} was first seen at its last value. */
    private long since;

    /**
     * @param sequence of the newest write to the store
     * @param nanoTime the time, in nanoseconds
     */
    public QuietTime(LongSupplier sequence, LongSupplier nanoTime) {
      this.sequence = sequence;
      this.nanoTime = nanoTime;
      this.lastSequence = sequence.getAsLong();
      this.since = nanoTime.getAsLong();
    }

    long millis() {
      long newest = sequence.getAsLong();
      long now = nanoTime.getAsLong();
      if (newest != lastSequence) {
        lastSequence = newest;
        since = now;
      }
      return TimeUnit.NANOSECONDS.toMillis(now - since);
    }
  }
}
