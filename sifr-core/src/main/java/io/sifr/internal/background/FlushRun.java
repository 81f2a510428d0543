package io.sifr.internal.background;

import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.FlushTask;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.List;

/**
 * One flush from beginning to end: the SSTs are written and synced, the log is synced where other
 * databases share batches with this one, the edit is made durable, the new view is published, and
 * the log releases what it held of the buffer.
 */
final class FlushRun {
  private final Setup setup;
  private final StoreState state;
  private final TaskEnvironments tasks;
  private final Commits commits;

  FlushRun(Setup setup, StoreState state, TaskEnvironments tasks, Commits commits) {
    this.setup = setup;
    this.state = state;
    this.tasks = tasks;
    this.commits = commits;
  }

  /** Flushes the oldest immutable write buffer of a database. */
  void flush(DatabaseHandle database) {
    StoreView view = database.view().get();
    WriteBuffer buffer = view.immutables().get(view.immutables().size() - 1);
    setup.fileSystem().reached(BackgroundCrashPoint.FLUSH_BEGUN);
    JfrEvents.Flush event = new JfrEvents.Flush();
    event.begin();
    long start = System.nanoTime();
    List<Sst> ssts = write(database, view, buffer);
    long firstNeeded = state.log().firstNeededWithout(buffer);
    List<ForestEdit> edits = state.catalog().editsOfFlush(database.id(), buffer.memtable(), ssts);
    if (firstNeeded > 0) {
      edits.add(new ForestEdit.LogStart(firstNeeded));
    }
    state.log().syncForOthers(database);
    commits.commit(
        database,
        Commits.Step.FLUSH,
        edits,
        ssts,
        (current, forest) -> current.flushed(buffer, forest));
    state.log().release(firstNeeded);
    setup.fileSystem().reached(BackgroundCrashPoint.FLUSH_LOG_RELEASED);
    tell(event, database, ssts, System.nanoTime() - start);
  }

  private List<Sst> write(DatabaseHandle database, StoreView view, WriteBuffer buffer) {
    List<Sst> ssts =
        new FlushTask(
                tasks.of(database, 1, () -> {}),
                buffer.memtable(),
                state.writes().snapshots().sequences(),
                view.forest().byPriority())
            .run();
    state.counters().flushBytes.add(bytes(ssts));
    return ssts;
  }

  private static long bytes(List<Sst> ssts) {
    return ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
  }

  private void tell(JfrEvents.Flush event, DatabaseHandle database, List<Sst> ssts, long nanos) {
    event.database = database.name();
    event.entries = ssts.stream().mapToLong(sst -> sst.meta().entries()).sum();
    event.ssts = ssts.size();
    event.bytes = bytes(ssts);
    event.commit();
    setup
        .listener()
        .flushed(
            new StoreListener.FlushEvent(
                event.database,
                event.entries,
                new StoreListener.Ssts(event.ssts, event.bytes),
                nanos));
  }
}
