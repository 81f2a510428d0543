package io.sifr.internal.engine;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.event.Metric;
import io.sifr.event.SstPlace;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.compaction.pick.SpaceEstimate;
import io.sifr.internal.compaction.run.Background;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.ValueUses;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.MemoryUse;
import io.sifr.internal.resources.StoreMemory;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The statistics of an open store. Thread-safe. */
final class Figures {
  private static final Logger LOG = LoggerFactory.getLogger(Figures.class);

  /** Besides SSTs, of which it is known. The tail of an SST goes with it. */
  private static final Set<FileKind> WITH_KEYS =
      EnumSet.of(FileKind.WAL, FileKind.MANIFEST, FileKind.VALUES);

  /** No file has it, so all are of other keys as long as the current one is not known. */
  private static final int UNKNOWN_KEY = -1;

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
    StoreStatistics.Builder now = StoreStatistics.builder();
    Searchers.Counters searches = searchers.counters();
    // What is not counted by searches is set below.
    Metric.counters().forEach(counter -> now.set(counter, searches.get(counter)));
    writes(now);
    compactions(now);
    files(now);
    memory(now);
    contents(now);
    backlog(now);
    retainedLog(now);
    return now.build();
  }

  private void writes(StoreStatistics.Builder now) {
    Counters counters = state.counters();
    Totals totals = counters.totals();
    now.set(Metric.USER_BYTES, totals.userBytes());
    now.set(Metric.LOG_BYTES, totals.walBytes());
    now.set(Metric.FLUSH_BYTES, totals.flushBytes());
    now.set(Metric.FLUSHES, counters.flushes.sum());
    now.set(Metric.STALLS, counters.stalls.sum());
    now.set(Metric.STALL_MILLIS, totals.stallMillis());
    now.set(Metric.REFUSED_WRITES, counters.refused.sum());
    now.set(Metric.LOG_REPLACEMENTS, counters.logReplacements.sum());
    now.set(Metric.COMPACTION_FILTER_DROPS, counters.filterDrops.sum());
    now.set(Metric.COMPACTION_FILTER_REPLACEMENTS, counters.filterReplacements.sum());
    now.set(Metric.COMPACTION_FILTER_FAILURES, counters.filterFailures.sum());
    now.set(Metric.INDEX_ENTRIES_BUILT, counters.indexBuilt.sum());
    now.set(Metric.INDEX_STALE_READS, counters.indexStaleReads.sum());
    now.set(Metric.INDEX_STALE_DELETES, counters.indexStaleDeletes.sum());
    now.set(Metric.PUT_MICROS, counters.puts.summary());
    now.set(Metric.GET_MICROS, counters.gets.summary());
    now.set(Metric.COMPACTION_BYTES, totals.compactionBytes());
    now.set(Metric.MOVED_BYTES, totals.movedBytes());
  }

  private void compactions(StoreStatistics.Builder now) {
    StoreOptions options = setup.options();
    Counters counters = state.counters();
    now.set(Metric.COMPACTIONS, Collections.unmodifiableMap(counters.compactions()));
    now.set(Metric.RUNNING_COMPACTIONS, background.runningCompactions());
    now.set(Metric.STEP_BACK_MILLIS, NANOSECONDS.toMillis(counters.stepBackNanos.sum()));
    now.set(Metric.RATE_LIMIT_MILLIS, NANOSECONDS.toMillis(counters.limitNanos.sum()));
    now.set(
        Metric.CLEANING_THRESHOLD_BYTES,
        options.earlyCleaning() ? setup.tuning().cleaningThresholdBytes() : 0);
    now.set(Metric.CURRENT_CLEANING_THRESHOLD_BYTES, background.cleaningThresholdBytes());
  }

  private void files(StoreStatistics.Builder now) {
    SstAccess access = ssts.access();
    now.set(Metric.FILE_READS, access.meter().reads());
    now.set(Metric.FILE_READ_BYTES, access.meter().bytes());
    now.set(Metric.FILTER_REJECTS, access.filterCounts().rejects());
    now.set(Metric.FILTER_FALSE_POSITIVES, access.filterCounts().falsePositives());
    now.set(Metric.UNUSABLE_SSTS, access.faults().unusable());
    now.set(Metric.UNCHECKED_SSTS, background.uncheckedSsts());
    disk(now);
    places(now);
  }

  /** What is on other devices. */
  private void places(StoreStatistics.Builder now) {
    Map<SstPlace, Long> bytes = new EnumMap<>(SstPlace.class);
    for (Forest forest : state.catalog().catalog().forests()) {
      for (Sst sst : forest.ssts()) {
        SstPlace place = setup.fileSystem().placeOfSst(setup.directory(), sst.number());
        bytes.merge(place, sst.bytes(), Long::sum);
      }
    }
    now.set(Metric.FAST_SST_BYTES, bytes.getOrDefault(SstPlace.FAST, 0L));
    now.set(Metric.COLD_SST_BYTES, bytes.getOrDefault(SstPlace.COLD, 0L));
    now.set(Metric.FAST_WRITTEN_BYTES, setup.fileSystem().writtenBytes(SstPlace.FAST));
    now.set(Metric.COLD_WRITTEN_BYTES, setup.fileSystem().writtenBytes(SstPlace.COLD));
  }

  /** What is used of the memory. */
  StoreStatistics memory() {
    StoreStatistics.Builder now = StoreStatistics.builder();
    memory(now);
    return now.build();
  }

  private void memory(StoreStatistics.Builder now) {
    StoreMemory memory = ssts.access().memory();
    SharedCache.OfStore cache = memory.cache();
    MemoryUse ofAll = memory.ofAll();
    now.set(Metric.WRITE_BUFFER_BYTES, memory.memtables().used());
    now.set(Metric.BLOCK_CACHE_BYTES, cache.bytes());
    now.set(Metric.INDEX_BYTES, cache.bytes(CacheUse.INDEXES));
    now.set(Metric.FILTER_BYTES, cache.bytes(CacheUse.FILTERS));
    now.set(Metric.REREADS, cache.rereads());
    now.set(Metric.RANGE_TOMBSTONE_BYTES, ofDatabases(database -> database.tombstones().bytes()));
    now.set(Metric.READ_AHEAD_BYTES, memory.readAhead().used());
    now.set(Metric.BUDGET_BYTES, ofAll.budgetBytes());
    now.set(Metric.BUDGET_USED_BYTES, ofAll.usedBytes());
    now.set(Metric.IDLE_BYTES, ofAll.idleBytes());
  }

  private void contents(StoreStatistics.Builder now) {
    List<Forest> forests =
        state.databases().all().stream().map(database -> database.view().get().forest()).toList();
    long rawBytes =
        forests.stream()
            .flatMap(forest -> forest.byPriority().stream())
            .flatMap(tree -> tree.ssts().stream())
            .mapToLong(sst -> sst.meta().rawBytes())
            .sum();
    now.set(Metric.LIVE_BYTES, sum(forests, Forest::bytes));
    now.set(Metric.RAW_BYTES, rawBytes);
    now.set(
        Metric.ESTIMATED_DATA_BYTES, sum(forests, forest -> SpaceEstimate.of(forest).liveBytes()));
    values(now, forests);
    now.set(Metric.DATABASES, state.databases().names().size());
    now.set(Metric.STAGES, forests.stream().mapToInt(Forest::stageCount).max().orElse(0));
    now.set(Metric.TREES, sum(forests, forest -> forest.byPriority().size()));
    now.set(Metric.SSTS, sum(forests, Forest::sstCount));
    now.set(Metric.RANGE_TOMBSTONES, ofDatabases(database -> database.tombstones().count()));
  }

  private static void values(StoreStatistics.Builder now, List<Forest> forests) {
    List<ValueUses> all = forests.stream().map(Forest::values).toList();
    long referred = all.stream().mapToLong(ValueUses::referredBytes).sum();
    long unreferred = all.stream().mapToLong(ValueUses::unreferredBytes).sum();
    now.set(Metric.VALUE_FILES, all.stream().mapToLong(uses -> uses.files().size()).sum());
    now.set(Metric.VALUE_FILE_BYTES, referred + unreferred);
    now.set(
        Metric.VALUE_GARBAGE_BYTES,
        unreferred + sum(forests, forest -> SpaceEstimate.of(forest).hiddenValueBytes()));
  }

  private void backlog(StoreStatistics.Builder now) {
    double debt = 0;
    for (DatabaseHandle database : state.databases().all()) {
      debt = Math.max(debt, database.debt(setup.extensions().policy()));
    }
    now.set(Metric.COMPACTION_DEBT, debt);
    now.set(
        Metric.FULL_WRITE_BUFFERS,
        ofDatabases(database -> database.view().get().immutables().size()));
  }

  private void retainedLog(StoreStatistics.Builder now) {
    LogHistory history = state.catalog().catalog().history();
    now.set(Metric.RETAINED_LOG_BYTES, history == null ? 0 : history.bytes());
    now.set(Metric.RETAINED_LOG_SEGMENTS, history == null ? 0 : history.segments().size());
    now.set(Metric.OLDEST_SEQUENCE, history == null ? 0 : history.firstSequence());
    now.set(Metric.LAST_SEQUENCE, state.writes().visible());
  }

  private static long sum(List<Forest> forests, ToLongFunction<Forest> figure) {
    return forests.stream().mapToLong(figure).sum();
  }

  private long ofDatabases(ToLongFunction<DatabaseHandle> figure) {
    return state.databases().all().stream().mapToLong(figure).sum();
  }

  /**
   * Sizes and keys of SSTs are known: there may be many, on a device that takes long to answer.
   * While a directory cannot be listed, they are all that is.
   */
  private void disk(StoreStatistics.Builder now) {
    Map<String, SstMeta> known = new HashMap<>();
    for (Forest forest : state.catalog().catalog().forests()) {
      forest.ssts().forEach(sst -> known.put(FileKind.SST.fileName(sst.number()), sst.meta()));
    }
    FileKeys keys = setup.fileSystem().keys();
    int key = keys.currentOr(UNKNOWN_KEY);
    long bytes = 0;
    long ofOtherKeys = 0;
    for (String name : names(known.keySet())) {
      SstMeta sst = known.get(name);
      try {
        long size = sst == null ? setup.fileSystem().size(file(name)) : sst.fileBytes();
        bytes += size;
        if (keys.areUsed() && isOfOtherKey(name, sst, key)) {
          ofOtherKeys += size;
        }
      } catch (StoreIoException e) { // the background work may just have deleted it
        LOG.debug("a file is not counted: {}", e.getMessage());
      }
    }
    now.set(Metric.DISK_BYTES, bytes);
    now.set(Metric.OTHER_KEY_BYTES, ofOtherKeys);
  }

  private Collection<String> names(Set<String> known) {
    try {
      return setup.fileSystem().list(setup.directory());
    } catch (StoreIoException e) {
      LOG.debug("not all files are counted: {}", e.getMessage());
      return known;
    }
  }

  private Path file(String name) {
    return setup.directory().resolve(name);
  }

  private boolean isOfOtherKey(String name, @Nullable SstMeta sst, int current) {
    if (sst != null) {
      return sst.key() != current;
    }
    for (FileKind kind : WITH_KEYS) {
      Optional<Long> number = kind.numberOf(name);
      if (number.isPresent()) {
        try {
          StoreFileSystem files = setup.fileSystem();
          return FileHeader.read(files, file(name), kind, number.get()).key() != current;
        } catch (CorruptionException e) { // it is being begun; or whoever reads it will say so
          return false;
        }
      }
    }
    return false;
  }
}
