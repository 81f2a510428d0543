package io.sifr.internal.compaction.run;

import io.sifr.error.FileNotOpenedException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.event.StoreListener;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.background.WorkParts;
import io.sifr.internal.compaction.cut.Cuts;
import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.compaction.pick.Priority;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * A running compaction: its parts, which threads take one after the other, and its outcome. The
 * first thread prepares it, the one that completes the last part ends it; any thread can do either.
 *
 * <p>Thread-safe.
 */
public final class CompactionRun {
  /** Parts per thread, so that none is idle while another has much left to do. */
  private static final int PARTS_PER_THREAD = 4;

  /** A part has input for at least this many SSTs, since its last one may be small. */
  private static final int SSTS_PER_PART = 8;

  private final WorkParts store;
  private final IntSupplier runningCompactions;
  private final Due due;
  private final long start = System.nanoTime();

  // All below guarded by this.

  private @Nullable CompactionJournal journal;
  private List<KeySpan> parts = List.of();
  private long[] snapshots = {};
  private int taken;

  /** Threads in {@link #work}; the one that prepares the run counts from the beginning. */
  private int working = 1;

  private boolean prepared;
  private boolean over;
  private @Nullable Throwable failure;

  /**
   * @param runningCompactions how many share the free space of the disk
   */
  CompactionRun(WorkParts store, IntSupplier runningCompactions, Due due) {
    this.store = store;
    this.runningCompactions = runningCompactions;
    this.due = due;
  }

  /** How it runs. */
  Priority priority() {
    return due.priority();
  }

  /** Whether a thread waits for the end and is going to call {@link #end}. */
  boolean isAwaited() {
    return priority().isAwaited();
  }

  /** Whether no thread works on it any more, or will. */
  synchronized boolean isOver() {
    return over;
  }

  Due due() {
    return due;
  }

  /**
   * Whether it is about to change the stages of its inputs: until then nothing else may begin in
   * its database, since the policy does not know of it yet.
   */
  synchronized boolean isAboutToMoveTrees() {
    return plan().gathers() && !prepared && failure == null;
  }

  /** Whether it runs that compaction. */
  synchronized boolean isRunOf(Compaction begun) {
    Compaction resumed = plan().begun();
    return resumed != null
        ? resumed.number() == begun.number()
        : journal != null && journal.number() == begun.number();
  }

  long inputBytes() {
    return due.inputBytes();
  }

  DatabaseHandle database() {
    return due.database();
  }

  CompactionPlan plan() {
    return due.plan();
  }

  /**
   * Chooses the parts. Called first, by a thread that calls {@link #work} afterwards; may take
   * long.
   *
   * @param threads how many may work on it
   */
  void prepare(int threads) {
    try {
      List<KeySpan> chosen =
          Cuts.parts(
              plan().inputs(),
              plan().spans(),
              threads == 1 || plan().shape() == Compaction.Shape.WHOLE
                  ? 1
                  : threads * PARTS_PER_THREAD,
              store.tasks().sizes().targetBytes() * SSTS_PER_PART);
      if (plan().shape() == Compaction.Shape.MOVES) {
        chosen = Cuts.betweenStreams(chosen, plan().inputs(), store.tasks().sizes());
      }
      CompactionJournal created = newJournal();
      synchronized (this) {
        journal = created;
        snapshots = store.state().writes().snapshots().sequences();
      }
      reached(
          plan().begun() == null
              ? BackgroundCrashPoint.COMPACTION_CHOSEN
              : BackgroundCrashPoint.COMPACTION_RESUMED);
      if (isAwaited() || plan().gathers()) {
        created.begin(); // so that the policy knows that its inputs are taken
      }
      synchronized (this) {
        parts = chosen; // for other threads, too: only now is it certain that it can begin
        prepared = true;
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private CompactionJournal newJournal() {
    Compaction begun = plan().begun();
    long number = begun == null ? store.state().catalog().nextNumber() : begun.number();
    return new CompactionJournal.OfStore(store, runningCompactions, database(), plan(), number);
  }

  private void reached(BackgroundCrashPoint point) {
    store.setup().fileSystem().reached(point);
  }

  /** Whether there is a part for another thread. */
  synchronized boolean hasWaitingPart() {
    return failure == null && taken < parts.size();
  }

  /** Called before {@link #work} by all threads but the one that has prepared the run. */
  synchronized void join() {
    working++;
  }

  /**
   * Compacts parts, one after the other, until none is left.
   *
   * @param environments called for each: a device that was full or failed may be another time
   * @return whether all is done or has failed, and this thread is to call {@link #end}
   */
  boolean work(Supplier<TaskEnvironment> environments) {
    for (KeySpan part = take(); part != null; part = take()) {
      try {
        TaskEnvironment environment = environments.get();
        environment.progress().yieldPoint().run();
        task(environment, part).run();
      } catch (RuntimeException | Error e) {
        fail(explained(e));
      }
    }
    synchronized (this) {
      working--;
      boolean last = working == 0 && !over && !hasWaitingPart();
      over |= last;
      return last;
    }
  }

  private synchronized @Nullable KeySpan take() {
    return journal == null || !hasWaitingPart() ? null : parts.get(taken++);
  }

  private PartTask task(TaskEnvironment environment, KeySpan part) {
    CompactionJournal open;
    long[] visible;
    synchronized (this) {
      open = Objects.requireNonNull(journal);
      visible = snapshots;
    }
    // Outside the lock, which is the innermost of all: the journal has one of its own.
    return new PartTask(environment, plan(), part, visible, open.part(part));
  }

  /** Whether the task of a part has failed. */
  synchronized boolean hasFailed() {
    return failure != null;
  }

  private synchronized void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    } else if (e != failure && !(e instanceof CancellationException)) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Called at yield points.
   *
   * @throws CancellationException when the task of another part has failed
   */
  synchronized void checkGoesOn() {
    if (failure != null) {
      throw new CancellationException("another part of the compaction has failed");
    }
  }

  /**
   * Commits what is to be committed and deletes the rest. Throws what stopped the compaction, if
   * anything did.
   */
  void end() {
    CompactionJournal open;
    Throwable cause;
    synchronized (this) {
      open = journal;
      cause = failure;
    }
    if (open == null) {
      rethrow(cause);
      return;
    }
    try {
      if (cause == null) {
        open.end();
      } else if (store.setup().options().earlyCleaning() && isCurable(cause)) {
        // What is committed need not be written again, and its inputs can be deleted.
        open.commit();
      }
    } catch (RuntimeException | Error e) {
      Throwable why = explained(e);
      fail(why);
      cause = cause == null ? why : cause;
    } finally {
      open.discard();
    }
    if (cause != null) {
      reached(BackgroundCrashPoint.COMPACTION_SUSPENDED);
    }
    rethrow(cause);
    tell(open.sums(), System.nanoTime() - start);
  }

  /** Reports that it is over. */
  private void tell(CompactionJournal.Sums sums, long nanos) {
    CompactionPlan plan = plan();
    reached(BackgroundCrashPoint.COMPACTION_ENDED);
    store.state().counters().ended(plan.reason());
    JfrEvent event = new JfrEvent();
    event.database = database().toString();
    event.reason = plan.reason().name();
    event.sourceStage = plan.sourceStage();
    event.inputSsts = plan.inputSsts();
    event.inputBytes = plan.inputBytes();
    event.writtenSsts = sums.writtenSsts();
    event.writtenBytes = sums.writtenBytes();
    event.movedSsts = sums.movedSsts();
    event.movedBytes = sums.movedBytes();
    event.nanos = nanos;
    event.commit();
    store
        .setup()
        .listener()
        .compacted(
            new StoreListener.CompactionEvent(
                database().toString(),
                plan.reason(),
                new StoreListener.CompactionInputs(
                    plan.sourceStage(),
                    plan.inputs().size(),
                    new StoreListener.Ssts(plan.inputSsts(), plan.inputBytes()),
                    keys(plan.spans())),
                new StoreListener.CompactionOutput(
                    plan.targetStage(),
                    new StoreListener.Ssts(sums.writtenSsts(), sums.writtenBytes()),
                    new StoreListener.Ssts(sums.movedSsts(), sums.movedBytes()),
                    sums.droppedEntries()),
                nanos));
  }

  private static StoreListener.@Nullable Keys keys(List<KeySpan> spans) {
    return spans.isEmpty()
        ? null
        : new StoreListener.Keys(spans.get(0).above(), spans.get(spans.size() - 1).last());
  }

  /**
   * Entries in the wrong order, or such as no writer accepts, mean that a file is damaged although
   * its checksums are right. This is not checked in normal operation; here the damaged file is
   * found.
   */
  private Throwable explained(Throwable e) {
    if (e instanceof IllegalArgumentException || e instanceof IndexOutOfBoundsException) {
      for (LogicalTree tree : plan().inputs()) {
        for (Sst sst : tree.ssts()) {
          try {
            verify(sst);
          } catch (SifrException damage) {
            damage.addSuppressed(e);
            return damage;
          }
        }
      }
    }
    return e;
  }

  private static void verify(Sst sst) {
    if (sst.tryPin()) {
      try {
        sst.reader().verify();
      } finally {
        sst.unpin();
      }
    }
  }

  private static boolean isCurable(Throwable cause) {
    return cause instanceof StoreFullException
        || cause instanceof FileNotOpenedException
        || (cause instanceof CancellationException && !(cause instanceof OutdatedPlanException));
  }

  private static void rethrow(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException e) {
      throw e;
    } else if (cause instanceof Error e) {
      throw e;
    }
  }

  /** Trees of a stage were compacted into one of the next. */
  @Name("io.sifr.Compaction")
  @Label("Compaction")
  @Category("Sifr")
  @StackTrace(false)
  static final class JfrEvent extends Event {
    @Label("Database")
    String database = "";

    @Label("Reason")
    String reason = "";

    @Label("Source stage")
    int sourceStage;

    @Label("Input SSTs")
    int inputSsts;

    @Label("Bytes of input SSTs")
    @DataAmount
    long inputBytes;

    @Label("SSTs written")
    int writtenSsts;

    @Label("Bytes written")
    @DataAmount
    long writtenBytes;

    @Label("SSTs moved")
    int movedSsts;

    @Label("Bytes moved")
    @DataAmount
    long movedBytes;

    @Label("Time")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;
  }

  /**
   * A compaction that could begin or be resumed.
   *
   * @param database whose trees
   * @param proposal what its policy proposes
   */
  record Due(DatabaseHandle database, Proposal proposal) {
    CompactionPlan plan() {
      return proposal.plan();
    }

    Priority priority() {
      return proposal.priority();
    }

    double score() {
      return proposal.score();
    }

    long inputBytes() {
      return proposal.inputBytes();
    }

    /** The same for a caller, who waits for it and runs it. */
    Due requested() {
      return new Due(database, Proposal.of(Priority.REQUESTED, plan()));
    }

    /** Pays for one that is for reads. */
    void pay() {
      if (priority().beginsAlone()) {
        database.wastedReads().use(proposal.cost());
        database.wastedReads().merged(plan().spans());
        if (priority() == Priority.IDLE) {
          database.wastedReads().mergedWhenIdle();
        }
      }
    }

    /** Whether the two cannot run concurrently. */
    boolean conflictsWith(Due other) {
      return database == other.database && plan().conflictsWith(other.plan());
    }
  }
}
