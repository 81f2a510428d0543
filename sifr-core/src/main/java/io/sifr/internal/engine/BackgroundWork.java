package io.sifr.internal.engine;

import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.CompactionPlan;
import io.sifr.internal.compaction.FlushTask;
import io.sifr.internal.compaction.MergeTask;
import io.sifr.internal.compaction.TaskEnvironment;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.internal.wal.WalWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One flush or one compaction from beginning to end, always in this order: make the files and sync
 * them, make the edit durable, show the new view, then let go of what it made unneeded (I4).
 */
final class BackgroundWork {
  private final Function<DatabaseHandle, TaskEnvironment> environments;
  private final CatalogStore catalog;
  private final Snapshots snapshots;
  private final Graveyard graveyard;
  private final Counters counters;
  private final StoreListener listener;
  private final Supplier<Collection<DatabaseHandle>> databases;
  private final Supplier<@Nullable WalWriter> log;

  BackgroundWork(
      Function<DatabaseHandle, TaskEnvironment> environments,
      CatalogStore catalog,
      Snapshots snapshots,
      Graveyard graveyard,
      Counters counters,
      StoreListener listener,
      Supplier<Collection<DatabaseHandle>> databases,
      Supplier<@Nullable WalWriter> log) {
    this.environments = environments;
    this.catalog = catalog;
    this.snapshots = snapshots;
    this.graveyard = graveyard;
    this.counters = counters;
    this.listener = listener;
    this.databases = databases;
    this.log = log;
  }

  /** Flushes the oldest immutable write buffer of a database. */
  void flush(DatabaseHandle database) {
    StoreView view = database.view().get();
    WriteBuffer buffer = view.immutables().get(view.immutables().size() - 1);
    JfrEvents.Flush event = new JfrEvents.Flush();
    event.begin();
    long start = System.nanoTime();
    List<Sst> ssts =
        new FlushTask(
                environments.apply(database),
                buffer.memtable(),
                snapshots.sequences(),
                view.forest().byPriority())
            .run();
    long bytes = ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
    counters.flushBytes.add(bytes);
    long neededSegment = firstNeededSegment(buffer);
    List<ForestEdit> edits = catalog.editsOfFlush(database.id(), buffer.memtable(), ssts);
    edits.add(new ForestEdit.LogStart(neededSegment));
    commit(
        database,
        edits,
        ssts,
        forest -> database.view().update(current -> current.flushed(buffer, forest)));
    releaseLog(neededSegment);

    long entries = ssts.stream().mapToLong(sst -> sst.meta().entries()).sum();
    event.database = database.name();
    event.entries = entries;
    event.ssts = ssts.size();
    event.bytes = bytes;
    event.commit();
    listener.flushed(
        new StoreListener.FlushEvent(
            database.name(), entries, ssts.size(), bytes, System.nanoTime() - start));
  }

  /** Compacts as planned. */
  void merge(DatabaseHandle database, CompactionPlan plan) {
    JfrEvents.Compaction event = new JfrEvents.Compaction();
    event.begin();
    long start = System.nanoTime();
    MergeTask.Result result =
        new MergeTask(environments.apply(database), plan, snapshots.sequences()).run();
    long writtenBytes = result.written().stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
    long movedBytes = result.moved().stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
    counters.mergeBytes.add(writtenBytes);
    counters.movedBytes.add(movedBytes);
    commit(
        database,
        List.of(
            new ForestEdit.CompactionCommitted(
                database.id(),
                plan.inputs().stream().map(tree -> tree.id()).toList(),
                plan.targetStage(),
                catalog.nextNumber(),
                result.written(),
                result.moved().stream().map(Sst::number).toList())),
        result.written(),
        forest -> database.view().update(current -> current.withForest(forest)));
    buryInputs(plan, result);

    event.database = database.name();
    event.sourceStage = plan.sourceStage();
    event.inputSsts = plan.inputSsts();
    event.writtenSsts = result.written().size();
    event.writtenBytes = writtenBytes;
    event.movedSsts = result.moved().size();
    event.movedBytes = movedBytes;
    event.commit();
    listener.compacted(
        new StoreListener.CompactionEvent(
            database.name(),
            plan.sourceStage(),
            plan.targetStage(),
            plan.inputs().size(),
            plan.inputSsts(),
            result.written().size(),
            writtenBytes,
            result.moved().size(),
            movedBytes,
            result.droppedEntries(),
            System.nanoTime() - start));
  }

  private interface Publisher {
    void publish(Forest changed);
  }

  /**
   * Commits edits together with the totals. SSTs made for a database that was dropped meanwhile are
   * given up.
   */
  private void commit(
      DatabaseHandle database, List<ForestEdit> edits, List<Sst> made, Publisher publisher) {
    List<ForestEdit> group = new ArrayList<>(edits);
    group.add(new ForestEdit.TotalsReached(counters.totals()));
    try {
      catalog.commit(group, changed -> publisher.publish(forest(changed, database)));
    } catch (IllegalArgumentException e) {
      if (!database.isDropped()) {
        throw e;
      }
      graveyard.bury(made);
      throw new CancellationException(database.name() + " was dropped");
    }
  }

  private static Forest forest(Catalog catalog, DatabaseHandle database) {
    return catalog
        .forest(database.id())
        .orElseThrow(() -> new IllegalStateException("no forest of " + database.name()));
  }

  private void buryInputs(CompactionPlan plan, MergeTask.Result result) {
    Set<Sst> moved = new HashSet<>(result.moved());
    graveyard.bury(
        plan.inputs().stream()
            .flatMap(tree -> tree.ssts().stream())
            .filter(sst -> !moved.contains(sst))
            .toList());
  }

  /**
   * The oldest log segment that a write buffer other than {@code flushed} needs.
   *
   * <p>The active segment is asked first: a write that is under way in an older one would have to
   * hold the write lock, and then the log could not have gone on to the active one.
   */
  private long firstNeededSegment(WriteBuffer flushed) {
    WalWriter writer = log.get();
    long first = writer == null ? catalog.catalog().firstSegment() : writer.activeSegment();
    for (DatabaseHandle database : databases.get()) {
      if (!database.isDropped()) {
        StoreView view = database.view().get();
        first = Math.min(first, view.flushed(flushed, view.forest()).firstSegment());
      }
    }
    return first;
  }

  private void releaseLog(long neededSegment) {
    WalWriter writer = log.get();
    if (writer != null) {
      writer.release(neededSegment);
    }
  }
}
