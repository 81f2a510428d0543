package io.sifr.internal.engine.read;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.TestEngines;
import io.sifr.internal.entry.MergingIterator.Seeker;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.Waiting;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CursorHandleTest {
  private static final int TREES = 8;
  private static final int ENTRIES_A_TREE = 500;

  /** Small SSTs, and trees that stay as they are until they are merged on demand. */
  private static StoreEngine open(Path directory) {
    return TestEngines.open(
        directory,
        StoreOptions.builder()
            .splitUnitBytes(16 << 10)
            .compaction(CompactionPolicy.splitForest(TREES + 1))
            .build());
  }

  private static byte[] key(int number) {
    return String.format("%06d", number).getBytes(US_ASCII);
  }

  /** As many trees as there are, each of keys from the first to the last. */
  private static DatabaseHandle filled(StoreEngine engine) {
    DatabaseHandle database = engine.database("default");
    for (int tree = 0; tree < TREES; tree++) {
      for (int i = 0; i < ENTRIES_A_TREE; i++) {
        engine.writes().put(database, key(i * TREES + tree), new byte[200], WriteOptions.UNLOGGED);
      }
      engine.flush();
    }
    return database;
  }

  /** How many entries there are, with the first {@code seen} that are before the cursor. */
  private static int iterate(CursorHandle cursor, int seen, Runnable beforeEachStep) {
    int entries = seen;
    beforeEachStep.run();
    while (cursor.next()) {
      assertThat(cursor.key()).isEqualTo(key(entries));
      entries++;
      beforeEachStep.run();
    }
    return entries;
  }

  private static CursorHandle.Environment environment(StoreEngine engine) {
    return new CursorHandle.Environment(
        engine.state().writes().snapshots(),
        engine.epochs(),
        new Counters.Reading().seeks(),
        false);
  }

  /** Counts the seeks. */
  private static RangePlan counting(AtomicInteger seeks, Runnable beforeTheFirst) {
    return new RangePlan(
        (inputs, to) -> {
          if (seeks.getAndIncrement() == 0) {
            beforeTheFirst.run();
          }
          Seeker.ONE_BY_ONE.seek(inputs, to);
        },
        ReadAhead.Helper.NONE);
  }

  /**
   * Where merges take SSTs away faster than a seek finds those of all trees, it would begin again
   * and again.
   */
  @Test
  void aSeekFindsTheSstsOfItsViewThoughTheyAreMergedMeanwhile(@TempDir Path directory) {
    try (StoreEngine engine = open(directory)) {
      DatabaseHandle database = filled(engine);
      AtomicInteger seeks = new AtomicInteger();
      RangePlan plan = counting(seeks, () -> engine.compact(database));
      try (CursorHandle cursor =
          new CursorHandle(database, environment(engine), StoreEngine.NOW, plan, null, null)) {
        assertThat(cursor.first()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(0));
        assertThat(seeks).hasValue(1);
        assertThat(iterate(cursor, 1, () -> {})).isEqualTo(TREES * ENTRIES_A_TREE);
      }
    }
  }

  /** An iterator that seeks in the newest view at each border would hardly do anything else. */
  @Test
  void aCursorSeeksOnceForSomeBordersWhereEachFindsANewView(@TempDir Path directory) {
    try (StoreEngine engine = open(directory)) {
      DatabaseHandle database = filled(engine);
      int borders =
          database.view().get().forest().byPriority().stream()
              .mapToInt(tree -> tree.slices().size() - 1)
              .sum();
      AtomicInteger seeks = new AtomicInteger();
      Runnable changingViews = () -> database.view().update(CursorHandleTest::changed);
      try (CursorHandle cursor =
          new CursorHandle(
              database,
              environment(engine),
              StoreEngine.NOW,
              counting(seeks, () -> {}),
              null,
              null)) {
        assertThat(iterate(cursor, 0, changingViews)).isEqualTo(TREES * ENTRIES_A_TREE);
        assertThat(borders).isGreaterThanOrEqualTo(5 * TREES);
        assertThat(seeks.get()).isBetween(2, 1 + borders / TREES);
      }
    }
  }

  /** With another, but still empty buffer for the writes. */
  private static StoreView changed(StoreView view) {
    return new StoreView(new WriteBuffer(new Memtable(1)), view.immutables(), view.forest());
  }

  /** The view of a closed store stays outdated: looking for a newer one again and again is vain. */
  @Test
  @Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStoreClosedBetweenCheckAndSeekEndsTheSeek(@TempDir Path directory) {
    StoreEngine engine = open(directory);
    DatabaseHandle opened = engine.database("default");
    engine.writes().put(opened, new byte[] {1}, new byte[] {1}, WriteOptions.UNLOGGED);
    engine.flush();
    AtomicInteger checks = new AtomicInteger();
    Lifecycle closedAfterTheFirstCheck =
        new Lifecycle() {
          @Override
          public void checkNotClosed() {
            if (checks.incrementAndGet() == 1) {
              engine.close();
              close();
            } else {
              super.checkNotClosed();
            }
          }
        };
    DatabaseHandle database =
        new DatabaseHandle(closedAfterTheFirstCheck, opened.id(), opened.name(), opened.view());
    CursorHandle cursor =
        new CursorHandle(
            database, environment(engine), StoreEngine.NOW, RangePlan.ALONE, null, null);
    assertThatThrownBy(cursor::first)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is closed");
    assertThat(checks).hasValue(2);
    cursor.close();
  }

  /** What nobody has closed must not keep old versions and files for ever. */
  @Test
  @Timeout(60)
  void aCursorThatIsDroppedIsClosedByTheGarbageCollector(@TempDir Path directory) {
    try (StoreEngine engine = open(directory)) {
      DatabaseHandle database = filled(engine);
      List<LogicalTree> trees = database.view().get().forest().byPriority();
      // Of each tree the cursor pins the SST with the entry where it stands.
      List<Sst> pinned = trees.stream().map(tree -> tree.slices().get(0).sst()).toList();
      Snapshots snapshots = engine.state().writes().snapshots();
      openAndForget(engine, database);
      Waiting.until(
          "it is closed",
          () -> {
            System.gc();
            return snapshots.sequences().length == 0;
          });
      assertThat(pinned).isNotEmpty().allSatisfy(CursorHandleTest::hasNoPin);
    }
  }

  private static void openAndForget(StoreEngine engine, DatabaseHandle database) {
    CursorHandle cursor = engine.openCursor(database, StoreEngine.NOW, null, null, null);
    try {
      assertThat(cursor.first()).isTrue();
      cursor.refresh();
      assertThat(cursor.first()).isTrue();
      assertThat(engine.state().writes().snapshots().sequences()).hasSize(1);
    } finally {
      Reference.reachabilityFence(cursor); // it may be collected once nothing refers to it
    }
  }

  private static void hasNoPin(Sst sst) {
    assertThatThrownBy(sst::unpin).isInstanceOf(IllegalStateException.class);
  }
}
