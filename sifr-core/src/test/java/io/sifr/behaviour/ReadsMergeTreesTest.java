package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Reads;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that is read much merges its trees, although no stage is full. */
class ReadsMergeTreesTest {
  private static final int KEYS = 3000;

  @TempDir Path directory;

  private StoreOptions.Builder options() {
    return SmallStores.options().compaction(CompactionPolicy.splitForest(4));
  }

  private Store open(StoreOptions options) {
    Extensions usual = Extensions.of(options);
    return TestStores.open(
        directory, options, new NoSyncFileSystem(new DiskFileSystem()), StoreListener.NONE, usual);
  }

  /** Of three stages; each tree holds keys from everywhere. */
  private static void load(Store store) {
    for (int i = 0; i < 23; i++) {
      for (int key = i; key < KEYS; key += 23) {
        store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
      }
      store.flush();
      store.awaitIdle(); // so that the forest does not depend on the speed of compactions
    }
  }

  private static int trees(Store store) {
    return store.database().forest().trees();
  }

  private static List<Long> treeIds(Store store) {
    return store.database().forest().stages().stream()
        .flatMap(stage -> stage.trees().stream())
        .map(ForestShape.Tree::id)
        .toList();
  }

  private static void get(Database database, int count) {
    for (int i = 0; i < count; i++) {
      var unused = database.get(SmallStores.key(i % KEYS));
    }
  }

  private static void seek(Database database, int count) {
    try (Cursor cursor = database.cursor()) {
      for (int i = 0; i < count; i++) {
        cursor.seek(SmallStores.key(i % KEYS));
      }
    }
  }

  private static long written(Store store) {
    return store.statistics().get(Metric.COMPACTION_BYTES);
  }

  @ParameterizedTest
  @EnumSource(names = "FIFO", mode = EnumSource.Mode.EXCLUDE) // it merges nothing
  void oneThatIsReadMuchEndsAsOneTree(CompactionPolicy.Kind policy) {
    try (Store store =
        open(options().compaction(TestPolicies.of(policy, "growthFactor=3", "trees=3")).build())) {
      load(store);
      int before = trees(store);
      assertThat(before).isGreaterThan(1);
      for (int i = 0; i < 50 && trees(store) > 1; i++) {
        seek(store.database(), 500);
        store.awaitIdle();
      }
      assertThat(trees(store)).isEqualTo(1);
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
    try (Store store = open(options().build())) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
  }

  /** Low stages first, and never more than what was wasted. */
  @Test
  void noMoreIsWrittenThanReadsHaveWasted() {
    try (Store store = open(options().build())) {
      load(store);
      int trees = trees(store);
      long before = written(store);
      for (int seeks = 100; trees(store) > 1; seeks += 100) {
        seek(store.database(), 100);
        store.awaitIdle();
        // Twice, because seeks are sampled.
        assertThat(written(store) - before).isLessThan(2L * (seeks + 500) * 300 * (trees - 1));
        assertThat(seeks).isLessThan(100_000);
      }
    }
  }

  @Test
  void oneThatIsReadALittleIsLeftAlone() {
    try (Store store = open(options().build())) {
      load(store);
      List<Long> before = treeIds(store);
      get(store.database(), 10);
      assertThat(SmallStores.content(store.database())).hasSize(KEYS);
      store.awaitIdle();
      assertThat(treeIds(store)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 33554432", "1, 33554432"})
  void aLoadWritesTheSameWithAndWithoutThem(int gets, long bytesPerSecond) {
    try (Store store = open(options().readCompactionBytesPerSecond(bytesPerSecond).build())) {
      for (int i = 0; i < 12_000; i++) {
        int key = (int) (i * 7919L % 100_003);
        store.database().put(SmallStores.key(key), SmallStores.value(key, 1));
        for (int j = 0; j < gets; j++) {
          var unused = store.database().get(SmallStores.key(key + 1));
        }
      }
      store.flush();
      store.awaitIdle();
      Path other = directory.resolve("other");
      try (Store without =
          SmallStores.open(other, options().readCompactionBytesPerSecond(0).build())) {
        for (int i = 0; i < 12_000; i++) {
          int key = (int) (i * 7919L % 100_003);
          without.database().put(SmallStores.key(key), SmallStores.value(key, 1));
        }
        without.flush();
        without.awaitIdle();
        assertThat(written(store))
            .isBetween(written(without) * 98 / 100, written(without) * 102 / 100);
        assertThat(trees(store)).isEqualTo(trees(without));
      }
    }
  }

  @Test
  void whatIsOffIsNotMerged() {
    try (Store store = open(options().readCompactionBytesPerSecond(0).build())) {
      load(store);
      List<Long> before = treeIds(store);
      seek(store.database(), 20_000);
      store.awaitIdle();
      assertThat(treeIds(store)).isEqualTo(before);
    }
  }

  @Test
  void pausedMergesStayPaused() {
    try (Store store = open(options().build())) {
      load(store);
      store.pauseCompactions();
      List<Long> before = treeIds(store);
      seek(store.database(), 20_000);
      assertThat(treeIds(store)).isEqualTo(before);
      store.resumeCompactions();
      store.awaitIdle();
      assertThat(trees(store)).isEqualTo(1);
    }
  }

  @Test
  void openSnapshotsAndCursorsSeeWhatTheySaw() {
    try (Store store = open(options().build())) {
      load(store);
      Database database = store.database();
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor(KeyRange.all())) {
        assertThat(cursor.next()).isTrue();
        SmallStores.fill(database, 0, KEYS, 2);
        database.deleteRange(KeyRange.lessThan(SmallStores.key(100)));
        store.flush();
        for (int i = 0; i < 50 && trees(store) > 1; i++) {
          seek(database, 500);
          store.awaitIdle();
        }
        assertThat(trees(store)).isEqualTo(1);
        assertThat(cursor.key()).isEqualTo(SmallStores.key(0));
        assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(1, KEYS, 1));
        for (int key = 0; key < KEYS; key += 97) {
          assertThat(database.get(SmallStores.key(key), ReadOptions.at(snapshot)))
              .isEqualTo(SmallStores.value(key, 1));
        }
      }
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(100, KEYS, 2));
    }
  }

  /** Each way to read counts. */
  @ParameterizedTest
  @EnumSource
  void allReadsCount(Way way) {
    StoreOptions options = options().build();
    Extensions cheap =
        new Extensions(
            EntryKinds.STANDARD,
            BlockCodecs.STANDARD,
            PolicyRules.withReads(Policies.of(options), new Reads(1e-9, Shape.MOVES)));
    try (Store store =
        TestStores.open(
            directory,
            options,
            new NoSyncFileSystem(new DiskFileSystem()),
            StoreListener.NONE,
            cheap)) {
      load(store);
      for (int i = 0; i < 20 && trees(store) > 1; i++) {
        for (int key = 0; key < 100; key++) {
          way.read(store.database(), SmallStores.key(key));
        }
        store.awaitIdle();
      }
      assertThat(trees(store)).isEqualTo(1);
    }
  }

  enum Way {
    GET {
      @Override
      void read(Database database, byte[] key) {
        var unused = database.get(key);
      }
    },
    CONTAINS {
      @Override
      void read(Database database, byte[] key) {
        var unused = database.contains(key);
      }
    },
    MULTI_GET {
      @Override
      void read(Database database, byte[] key) {
        var unused = database.multiGet(List.of(key));
      }
    },
    ASYNC {
      @Override
      void read(Database database, byte[] key) {
        database.getAsync(key).join();
      }
    },
    SEEK {
      @Override
      void read(Database database, byte[] key) {
        try (Cursor cursor = database.cursor(KeyRange.atLeast(key))) {
          cursor.next();
        }
      }
    };

    abstract void read(Database database, byte[] key);
  }

  /** The stages of others stay as they are. */
  @Test
  void onlyTheDatabaseThatIsReadIsMerged() {
    try (Store store = open(options().build())) {
      load(store);
      Database other = store.openOrCreateDatabase("other");
      for (int i = 0; i < 3; i++) {
        SmallStores.fill(other, 0, 100, i);
        store.flush();
      }
      store.awaitIdle();
      int before = other.forest().trees();
      seek(store.database(), 20_000);
      store.awaitIdle();
      assertThat(Map.of("read", trees(store), "other", other.forest().trees()))
          .isEqualTo(Map.of("read", 1, "other", before));
    }
  }
}
