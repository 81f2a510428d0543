package io.sifr.internal.background;

import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.TaskEnvironment;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.FilteredIterator;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.state.CatalogStore;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.state.StoreState.SstParts;
import io.sifr.internal.value.ValueFiles;
import io.sifr.spi.CompactionFilter;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The objects that the schedules of background work share.
 *
 * @param setup where the store lies
 * @param state its state
 * @param monitor guards the state of the schedules
 * @param threads on which the work runs
 * @param tasks environments of flushes and compactions
 * @param commits makes their results durable and visible
 * @param obsoleteFiles deletes what they have replaced
 */
public record WorkParts(
    Setup setup,
    StoreState state,
    WorkMonitor monitor,
    BackgroundThreads threads,
    TaskEnvironments tasks,
    Commits commits,
    ObsoleteFiles obsoleteFiles) {

  /** Creates the environments of flushes and compactions. Thread-safe. */
  public static final class TaskEnvironments {
    private final Setup setup;
    private final SstParts ssts;
    private final CatalogStore catalog;
    private final @Nullable Counters counters;
    private final SecureRandom uniqueIds = new SecureRandom();

    /** For tasks whose SSTs are added to that catalog, and which filter nothing. */
    public TaskEnvironments(Setup setup, SstParts ssts, CatalogStore catalog) {
      this(setup, ssts, catalog, null);
    }

    /** For tasks of an open store, of which compactions filter what they keep. */
    public TaskEnvironments(Setup setup, SstParts ssts, StoreState state) {
      this(setup, ssts, state.catalog(), state.counters());
    }

    private TaskEnvironments(
        Setup setup, SstParts ssts, CatalogStore catalog, @Nullable Counters counters) {
      this.setup = setup;
      this.ssts = ssts;
      this.catalog = catalog;
      this.counters = counters;
    }

    /** The kinds of entries that the store may hold. */
    public EntryKinds kinds() {
      return ssts.access().kinds();
    }

    /** For a task of an open database; it stops when that is dropped or the store closes. */
    public TaskEnvironment of(
        DatabaseHandle database, int stage, TaskEnvironment.Progress progress) {
      return of(database.view().get().forest(), stage, stopping(database, progress), null);
    }

    private static TaskEnvironment.Progress stopping(
        DatabaseHandle database, TaskEnvironment.Progress progress) {
      return new TaskEnvironment.Progress(
          progress.written(),
          () -> {
            progress.yieldPoint().run();
            database.checkWorkGoesOn();
          });
    }

    /** The value files of the store. */
    public ValueFiles values() {
      return ssts.access().values();
    }

    /** How large SSTs are that are written now. */
    public SstSizes sizes() {
      return setup.sstSizes(catalog.catalog().bytes());
    }

    /**
     * For a flush of an open database; it stops when that is dropped or the store closes.
     *
     * @param logged what it writes, if all of that is durable in the log, and stays there as long
     *     as needed: then it may write to a directory that does not last; else null
     */
    TaskEnvironment ofFlush(DatabaseHandle database, SstMeta.@Nullable Logged logged) {
      return of(
          database.view().get().forest(),
          1,
          stopping(database, TaskEnvironment.Progress.UNWATCHED),
          logged);
    }

    /** For a flush to a forest, of what may be nowhere else. */
    public TaskEnvironment ofFlush(Forest forest) {
      return of(forest, 1, TaskEnvironment.Progress.UNWATCHED, null);
    }

    private TaskEnvironment of(
        Forest forest,
        int stage,
        TaskEnvironment.Progress progress,
        SstMeta.@Nullable Logged logged) {
      Path directory = directory(forest, stage, logged != null);
      boolean lasts = directory.equals(setup.directory());
      return new TaskEnvironment(
          new TaskEnvironment.Files(
              setup.fileSystem(),
              directory,
              ssts.access(),
              catalog::nextNumber,
              uniqueIds::nextLong,
              lasts ? null : logged),
          new TaskEnvironment.Output(
              forest.databaseId(),
              ssts.access().codecs().written(forest.options().compression()),
              filterBitsPerKey(forest, stage),
              sizes(),
              setup.extensions().policy().guards(forest, stage),
              forest.options().separateValuesFrom(),
              forest.options().filterPrefix()),
          entries(forest),
          progress);
    }

    private TaskEnvironment.Entries entries(Forest forest) {
      EntryKinds kinds = setup.extensions().kindsIn(forest);
      long now = setup.now();
      CompactionFilter filter = setup.extensions().filterIn(forest);
      Counters counted = counters;
      if (filter == null || counted == null) {
        return new TaskEnvironment.Entries(kinds, now);
      }
      return new TaskEnvironment.Entries(
          kinds,
          now,
          new FilteredIterator.Filter(
              filter,
              forest.name(),
              new FilteredIterator.Counts(
                  counted.filterDrops, counted.filterReplacements, counted.filterFailures)));
    }

    /**
     * The last stage is the highest that holds or gets anything, or a higher one, but not the
     * first, which is the last one only of a database that is small.
     */
    private Path directory(Forest forest, int stage, boolean isLogged) {
      Path directory = setup.directory();
      if (stage == 1) {
        return isLogged || !setup.options().fastIsVolatile()
            ? setup.fileSystem().placeForRows(directory)
            : directory;
      }
      return stage < forest.lastStage() ? directory : setup.fileSystem().placeForLast(directory);
    }

    private int filterBitsPerKey(Forest forest, int stage) {
      int bits = setup.options().filterBitsPerKey();
      int more = setup.extensions().policy().moreFilterBits(forest, stage);
      return bits == 0 ? 0 : Math.min(FilterShape.MAX_BITS_PER_KEY, bits + more);
    }
  }
}
