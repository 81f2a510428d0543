package io.sifr.internal.background;

import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.FlushTask;
import io.sifr.internal.compaction.SstFiles;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryNotOpenedException;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstAccess;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Failure;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One flush or one compaction from beginning to end, always in this order: make the files and sync
 * them, make the edit durable, show the new view, then let go of what it made unneeded (I4).
 */
public final class BackgroundWork {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundWork.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final SstAccess access;
  private final Environments environments;
  private final CatalogStore catalog;
  private final Failure failure;
  private final SstFilters filters;
  private final Snapshots snapshots;
  private final Graveyard graveyard;
  private final Counters counters;
  private final StoreListener listener;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Supplier<@Nullable WalWriter> log;
  private final CleaningThreshold cleaning;
  private final Runnable dig;

  /** Makes the surroundings of a task. */
  public interface Environments {
    /**
     * Those of a task for a database.
     *
     * @param stage for which it makes SSTs
     * @param breather runs now and then while the task works, besides what stops it when the store
     *     closes or the database is dropped
     */
    TaskEnvironment of(DatabaseHandle database, int stage, Runnable breather);
  }

  public BackgroundWork(
      StoreFileSystem fileSystem,
      Path directory,
      SstAccess access,
      Environments environments,
      CatalogStore catalog,
      Failure failure,
      SstFilters filters,
      Snapshots snapshots,
      Graveyard graveyard,
      Counters counters,
      StoreListener listener,
      Supplier<Collection<DatabaseHandle>> databases,
      Supplier<@Nullable WalWriter> log,
      CleaningThreshold cleaning,
      Runnable dig) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.access = access;
    this.environments = environments;
    this.catalog = catalog;
    this.failure = failure;
    this.filters = filters;
    this.snapshots = snapshots;
    this.graveyard = graveyard;
    this.counters = counters;
    this.listener = listener;
    this.databases = databases;
    this.log = log;
    this.cleaning = cleaning;
    this.dig = dig;
  }

  /** Flushes the oldest immutable write buffer of a database. */
  void flush(DatabaseHandle database) {
    StoreView view = database.view().get();
    WriteBuffer buffer = view.immutables().get(view.immutables().size() - 1);
    fileSystem.reached(CrashPoint.FLUSH_BEGUN);
    JfrEvents.Flush event = new JfrEvents.Flush();
    event.begin();
    long start = System.nanoTime();
    List<Sst> ssts =
        new FlushTask(
                environments.of(database, 1, () -> {}),
                buffer.memtable(),
                snapshots.sequences(),
                view.forest().byPriority())
            .run();
    long bytes = ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
    counters.flushBytes.add(bytes);
    WalWriter writer = log.get();
    long neededSegment = writer == null ? 0 : firstNeededSegment(writer, buffer);
    List<ForestEdit> edits = catalog.editsOfFlush(database.id(), buffer.memtable(), ssts);
    if (writer != null) { // else the log is as it was closed, and the manifest says where it ends
      edits.add(new ForestEdit.LogStart(neededSegment));
    }
    syncLogOfOthers(database);
    commit(
        database,
        CrashPoint.FLUSH_FILES_DURABLE,
        edits,
        ssts,
        forest -> {
          fileSystem.reached(CrashPoint.FLUSH_COMMITTED);
          database.view().update(current -> current.flushed(buffer, forest));
        });
    fileSystem.reached(CrashPoint.FLUSH_PUBLISHED);
    releaseLog(neededSegment);
    fileSystem.reached(CrashPoint.FLUSH_LOG_RELEASED);

    long entries = ssts.stream().mapToLong(sst -> sst.meta().entries()).sum();
    event.database = database.name();
    event.entries = entries;
    event.ssts = ssts.size();
    event.bytes = bytes;
    event.commit();
    listener.flushed(
        new StoreListener.FlushEvent(
            database.name(),
            entries,
            new StoreListener.Ssts(ssts.size(), bytes),
            System.nanoTime() - start));
  }

  /** The surroundings of the tasks of a merge. */
  TaskEnvironment environment(MergeJob job, Runnable breather) {
    return environments.of(job.database(), job.plan().targetStage(), breather);
  }

  /** Where a merge keeps book of what it has done. */
  MergeJournal journal(MergeJob job) {
    Compaction begun = job.begun();
    long outputTreeId = begun == null ? catalog.nextNumber() : begun.outputTreeId();
    return new MergeJournal(new JournalOwner(job.database()), job.plan(), begun, outputTreeId);
  }

  /** Told when it is chosen what a merge is going to do. */
  void chosen(MergeJob job) {
    fileSystem.reached(job.begun() == null ? CrashPoint.MERGE_CHOSEN : CrashPoint.MERGE_RESUMED);
  }

  /** Told when a merge was stopped, and nothing of it is left that is not committed. */
  void suspended() {
    fileSystem.reached(CrashPoint.MERGE_SUSPENDED);
  }

  /** Sequence numbers that must stay readable. */
  long[] snapshots() {
    return snapshots.sequences();
  }

  /** Whether what a merge has done is kept when it cannot go on for a while. */
  boolean keepsProgress() {
    return cleaning.isEnabled();
  }

  /** Tells of a compaction that is over. */
  void compacted(MergeJob job, MergeJournal.Sums sums, long nanos) {
    CompactionPlan plan = job.plan();
    fileSystem.reached(CrashPoint.MERGE_ENDED);
    JfrEvents.Compaction event = new JfrEvents.Compaction();
    event.database = plan.database();
    event.sourceStage = plan.sourceStage();
    event.inputSsts = plan.inputSsts();
    event.writtenSsts = sums.writtenSsts();
    event.writtenBytes = sums.writtenBytes();
    event.movedSsts = sums.movedSsts();
    event.movedBytes = sums.movedBytes();
    event.nanos = nanos;
    event.commit();
    listener.compacted(
        new StoreListener.CompactionEvent(
            plan.database(),
            new StoreListener.CompactionInputs(
                plan.sourceStage(), plan.inputs().size(), plan.inputSsts()),
            new StoreListener.CompactionOutput(
                plan.targetStage(),
                new StoreListener.Ssts(sums.writtenSsts(), sums.writtenBytes()),
                new StoreListener.Ssts(sums.movedSsts(), sums.movedBytes()),
                sums.droppedEntries()),
            nanos));
  }

  /** What the journal of a merge asks of the rest. */
  private final class JournalOwner implements MergeJournal.Owner {
    private final DatabaseHandle database;

    private JournalOwner(DatabaseHandle database) {
      this.database = database;
    }

    @Override
    public int cleaningThreshold() {
      return cleaning.current();
    }

    @Override
    public void written(Sst sst) {
      counters.mergeBytes.add(sst.meta().fileBytes());
      fileSystem.reached(CrashPoint.MERGE_OUTPUT_VERIFIED);
    }

    @Override
    public void moved(Sst sst) {
      counters.movedBytes.add(sst.meta().fileBytes());
      fileSystem.reached(CrashPoint.MOVE_CHOSEN);
    }

    private static boolean moves(ForestEdit edit) {
      return edit instanceof ForestEdit.CompactionProgressed progressed
          && !progressed.movedSsts().isEmpty();
    }

    @Override
    public MergeJournal.Change commit(List<ForestEdit> edits, List<Sst> made) {
      // Nobody but this merge changes its trees before they are committed; but behind that the next
      // merge may take them, so that the newest view is no answer to what this one has finished.
      Forest before = database.view().get().forest();
      boolean progresses =
          edits.stream().anyMatch(ForestEdit.CompactionProgressed.class::isInstance);
      boolean moves = edits.stream().anyMatch(JournalOwner::moves);
      AtomicReference<Forest> after = new AtomicReference<>(before);
      BackgroundWork.this.commit(
          database,
          CrashPoint.MERGE_NAMES_DURABLE,
          edits,
          made,
          committed -> {
            fileSystem.reached(
                progresses ? CrashPoint.MERGE_PROGRESS_DURABLE : CrashPoint.MERGE_BEGUN);
            if (moves) {
              fileSystem.reached(CrashPoint.MOVE_DURABLE);
            }
            after.set(committed);
            database.view().update(current -> current.withForest(committed));
          });
      if (progresses) {
        fileSystem.reached(CrashPoint.MERGE_PROGRESS_PUBLISHED);
      }
      if (moves) {
        fileSystem.reached(CrashPoint.MOVE_PUBLISHED);
      }
      return new MergeJournal.Change(before, Objects.requireNonNull(after.get()));
    }

    @Override
    public void finished(List<Sst> inputs) {
      graveyard.bury(inputs);
      fileSystem.reached(CrashPoint.MERGE_INPUTS_BURIED);
      if (!inputs.isEmpty()) {
        dig.run();
      }
    }

    @Override
    public void discard(List<Sst> made) {
      BackgroundWork.this.discard(made);
    }
  }

  private interface Publisher {
    void publish(Forest changed);
  }

  private void discard(List<Sst> made) {
    made.forEach(sst -> SstFiles.discard(fileSystem, directory, filters, sst));
  }

  /**
   * Makes the names of SSTs durable; where that fails they are deleted, and nothing has happened.
   *
   * @param then is reached when they are
   */
  private void makeNamesDurable(List<Sst> made, CrashPoint then) {
    if (made.isEmpty()) {
      return;
    }
    try {
      syncDirectory();
      fileSystem.reached(then);
    } catch (RuntimeException | Error e) {
      discard(made);
      throw e;
    }
  }

  /**
   * A directory whose sync has failed is not synced again: the next one would report success for
   * names that are lost, those of the log and of the manifest among them. It is no file that could
   * be written anew under another name.
   */
  private void syncDirectory() {
    try {
      fileSystem.syncDirectory(directory);
    } catch (StoreFullException | DirectoryNotOpenedException e) {
      throw e;
    } catch (StoreIoException e) {
      failure.note(e);
      throw e;
    }
  }

  /**
   * Commits edits together with the totals, once the names of the SSTs they bring are durable. SSTs
   * made for a database that was dropped meanwhile are given up.
   *
   * @param namesDurable is reached when they are
   */
  private void commit(
      DatabaseHandle database,
      CrashPoint namesDurable,
      List<ForestEdit> edits,
      List<Sst> made,
      Publisher publisher) {
    List<ForestEdit> group = new ArrayList<>(edits);
    group.add(new ForestEdit.TotalsReached(counters.totals()));
    makeNamesDurable(made, namesDurable);
    try {
      catalog.commit(
          group,
          changed -> {
            access.storeHolds(changed.bytes(), changed.slices());
            publisher.publish(forest(changed, database));
          });
    } catch (IllegalArgumentException e) {
      if (!database.isDropped()) {
        throw e;
      }
      graveyard.bury(made);
      throw new CancellationException(database.name() + " was dropped");
    } catch (StoreFullException e) {
      discard(made); // nothing was committed, and the space is needed
      throw e;
    } catch (RuntimeException | Error e) {
      // Whether the edits are durable is not known: if they are, they need the files.
      made.forEach(sst -> sst.condemn(() -> {}));
      throw e;
    }
  }

  private static Forest forest(Catalog catalog, DatabaseHandle database) {
    return catalog
        .forest(database.id())
        .orElseThrow(() -> new IllegalStateException("no forest of " + database.name()));
  }

  /**
   * The oldest log segment that a write buffer other than {@code flushed} needs.
   *
   * <p>The active segment is asked first: a write that is under way in an older one would have to
   * hold the write lock, and then the log could not have gone on to the active one. A database that
   * is being dropped counts as long as it is listed: until its drop is durable a crash brings it
   * back, and what it had acknowledged with it.
   */
  private long firstNeededSegment(WalWriter writer, WriteBuffer flushed) {
    long first = writer.activeSegment();
    for (DatabaseHandle database : databases.get()) {
      StoreView view = database.view().get();
      first = Math.min(first, view.flushed(flushed, view.forest()).firstSegment());
    }
    return first;
  }

  /**
   * Makes the log durable when other databases have writes that are only there: some of them are
   * older than what is about to be durable in SSTs, or belong to the same batches. Lost in a power
   * failure they would leave a hole.
   *
   * <p>A log that has failed stops no flush (I7): what is in memory is safe only in SSTs then.
   */
  private void syncLogOfOthers(DatabaseHandle flushed) {
    WalWriter writer = log.get();
    boolean isNeeded =
        databases.get().stream()
            .filter(database -> database != flushed)
            .anyMatch(database -> database.view().get().firstSegment() != WriteBuffer.NO_SEGMENT);
    if (writer != null && isNeeded) {
      try {
        writer.sync();
      } catch (SifrException e) {
        LOG.warn("flushing although the log cannot be synced: {}", e.getMessage());
      }
    }
  }

  private void releaseLog(long neededSegment) {
    WalWriter writer = log.get();
    if (writer != null) {
      try {
        writer.release(neededSegment);
      } catch (SifrException e) {
        // The segments are given up all the same, and replay ignores them.
        LOG.warn("a log segment is not needed any more but stays for now: {}", e.getMessage());
      }
    }
  }
}
