package io.sifr.internal.engine;

import io.sifr.config.StoreOptions;
import io.sifr.error.StoreIoException;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.cache.BlockCache;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.compaction.pick.SpaceEstimate;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.resources.MemoryUse;
import io.sifr.internal.resources.StoreMemory;
import io.sifr.internal.search.SearchCounters;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.sst.read.SstAccess;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.SstParts;
import io.sifr.internal.state.StoreState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The statistics of an open store. Thread-safe. */
final class Figures {
  private final Setup setup;
  private final SstParts ssts;
  private final StoreState state;
  private final Searchers searchers;
  private final Background background;

  Figures(
      Setup setup, SstParts ssts, StoreState state, Searchers searchers, Background background) {
    this.setup = setup;
    this.ssts = ssts;
    this.state = state;
    this.searchers = searchers;
    this.background = background;
  }

  StoreStatistics now() {
    StoreOptions options = setup.options();
    List<Forest> forests =
        state.databases().all().stream().map(database -> database.view().get().forest()).toList();
    var totals = state.counters().totals();
    SearchCounters searches = searchers.counters();
    SstAccess access = ssts.access();
    return new StoreStatistics(
        new StoreStatistics.Writes(
            totals.userBytes(),
            totals.walBytes(),
            totals.flushBytes(),
            state.counters().flushes.sum(),
            state.counters().stalls.sum(),
            totals.stallMillis(),
            state.counters().refused.sum(),
            state.counters().puts.summary()),
        new StoreStatistics.Compactions(
            totals.compactionBytes(),
            totals.movedBytes(),
            state.counters().compactions(),
            background.runningCompactions(),
            TimeUnit.NANOSECONDS.toMillis(state.counters().stepBackNanos.sum()),
            TimeUnit.NANOSECONDS.toMillis(state.counters().limitNanos.sum()),
            options.earlyCleaning() ? setup.tuning().cleaningThresholdBytes() : 0,
            background.cleaningThresholdBytes()),
        new StoreStatistics.Reads(
            searches.candidates(),
            searches.handOffs(),
            searches.uselessReads(),
            access.meter().reads(),
            access.meter().bytes(),
            state.counters().gets.summary()),
        new StoreStatistics.Filters(
            access.filterCounts().rejects(), access.filterCounts().falsePositives()),
        memory(),
        new StoreStatistics.Space(
            diskBytes(),
            forests.stream().mapToLong(Forest::bytes).sum(),
            forests.stream()
                .flatMap(forest -> forest.byPriority().stream())
                .flatMap(tree -> tree.ssts().stream())
                .mapToLong(sst -> sst.meta().rawBytes())
                .sum(),
            forests.stream().mapToLong(forest -> SpaceEstimate.of(forest).liveBytes()).sum()),
        contents(forests),
        backlog(),
        retainedLog());
  }

  private StoreStatistics.Backlog backlog() {
    int fullBuffers = 0;
    double debt = 0;
    for (DatabaseHandle database : state.databases().all()) {
      fullBuffers += database.view().get().immutables().size();
      debt = Math.max(debt, database.debt(setup.extensions().policy()));
    }
    return new StoreStatistics.Backlog(fullBuffers, debt);
  }

  private StoreStatistics.RetainedLog retainedLog() {
    LogHistory history = state.catalog().catalog().history();
    return new StoreStatistics.RetainedLog(
        history == null ? 0 : history.bytes(),
        history == null ? 0 : history.segments().size(),
        history == null ? 0 : history.firstSequence(),
        state.writes().visible());
  }

  /** What is used of the memory. */
  StoreStatistics.Memory memory() {
    StoreMemory memory = ssts.access().memory();
    BlockCache cache = memory.cache();
    MemoryUse ofAll = memory.ofAll();
    return new StoreStatistics.Memory(
        memory.memtables().used(),
        cache.bytes(),
        cache.bytes(CacheUse.INDEXES),
        cache.bytes(CacheUse.FILTERS),
        ofDatabases(database -> database.tombstones().bytes()),
        memory.readAhead().used(),
        ofAll.budgetBytes(),
        ofAll.usedBytes(),
        ofAll.idleBytes());
  }

  private StoreStatistics.Contents contents(List<Forest> forests) {
    return new StoreStatistics.Contents(
        forests.size(),
        forests.stream().mapToInt(Forest::stageCount).max().orElse(0),
        forests.stream().mapToInt(forest -> forest.byPriority().size()).sum(),
        forests.stream().mapToInt(Forest::sstCount).sum(),
        ofDatabases(database -> database.tombstones().count()),
        ssts.access().faults().unusable(),
        background.uncheckedSsts());
  }

  private long ofDatabases(ToLongFunction<DatabaseHandle> figure) {
    return state.databases().all().stream().mapToLong(figure).sum();
  }

  private long diskBytes() {
    long bytes = 0;
    for (String name : setup.fileSystem().list(setup.directory())) {
      Path file = setup.directory().resolve(name);
      try {
        bytes += setup.fileSystem().size(file);
      } catch (StoreIoException e) {
        if (setup.fileSystem().exists(file)) {
          throw e;
        }
        // The background work has just deleted it.
      }
    }
    return bytes;
  }
}
