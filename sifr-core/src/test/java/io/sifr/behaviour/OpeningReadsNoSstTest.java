package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Opening reads manifest and log, and of the SSTs nothing but their names. */
class OpeningReadsNoSstTest {
  private static final int KEYS = 600;

  @TempDir Path directory;

  /** The files of the SSTs that were looked at, once for each call. */
  private final Queue<Path> touched = new ConcurrentLinkedQueue<>();

  private final ForwardingFileSystem files =
      new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
        @Override
        public boolean exists(Path file) {
          note(file);
          return super.exists(file);
        }

        @Override
        public long size(Path file) {
          note(file);
          return super.size(file);
        }

        @Override
        public RandomReadFile openForRead(Path file) {
          note(file);
          return super.openForRead(file);
        }

        @Override
        public RandomReadFile openForDirectRead(Path file) {
          note(file);
          return super.openForDirectRead(file);
        }

        @Override
        public MappedRegion mapForRead(Path file, long size) {
          note(file);
          return super.mapForRead(file, size);
        }

        private void note(Path file) {
          if (file.toString().endsWith(".sst")) {
            touched.add(file);
          }
        }
      };

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .compaction(CompactionPolicy.splitForest(64))
        .checkBytesPerSecond(0);
  }

  @BeforeEach
  void treesInTwoDatabasesAndALog() {
    try (Store store = SmallStores.open(directory, options().keptLogBytes(1 << 20).build())) {
      SmallStores.fill(store.database(), 0, KEYS, 1);
      SmallStores.fill(store.openOrCreateDatabase("other"), 0, KEYS, 2);
      store.flush();
      store.awaitIdle();
      SmallStores.fill(store.database(), KEYS, KEYS + 1, 1);
    }
    assertThat(SmallStores.files(directory, ".sst")).hasSizeGreaterThan(5);
  }

  private Store open(StoreOptions options) {
    return TestStores.open(directory, options, files);
  }

  @ParameterizedTest
  @EnumSource
  void untilSomethingOfThemIsNeeded(ReadMode mode) {
    try (Store store = open(options().readMode(mode).build())) {
      assertThat(touched).isEmpty();
      Database database = store.database();
      assertThat(database.get(key(KEYS))).as("it is in the log").isEqualTo(value(KEYS, 1));
      assertThat(database.get(key(KEYS + 1))).as("no SST has such keys").isNull();
      assertThat(database.forest().trees()).isPositive();
      assertThat(touched).isEmpty();
      assertThat(database.get(key(7))).isEqualTo(value(7, 1));
      assertThat(touched.stream().distinct()).hasSize(1);
      assertThat(database.get(key(8))).isEqualTo(value(8, 1));
      assertThat(touched.stream().distinct()).hasSize(1);
      assertThat(SmallStores.content(store.database("other")))
          .isEqualTo(SmallStores.filled(0, KEYS, 2));
    }
  }

  /**
   * Of several trees that may hold a key, a get opens those that it has to search, and looks at the
   * file of each but once.
   */
  @ParameterizedTest
  @EnumSource(names = {"AUTO", "MMAP"})
  void theFirstGetOpensNoTreeBelowItsAnswer(ReadMode mode) {
    StoreOptions options = // nothing is compacted
        options().readMode(mode).maxSpaceAmplification(0).readCompactionBytesPerSecond(0).build();
    Path trees = directory.resolve("trees");
    try (Store store = SmallStores.open(trees, options)) {
      for (int version = 1; version <= 3; version++) {
        SmallStores.fill(store.database(), 0, 50, version);
        store.flush();
      }
      assertThat(store.database().forest().trees()).isEqualTo(3);
    }
    try (Store store = TestStores.open(trees, options, files)) {
      assertThat(store.database().get(key(7))).isEqualTo(value(7, 3));
      assertThat(touched).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void unlessItIsRefusedIfTheyAreDamaged(ReadMode mode) {
    open(options().readMode(mode).openIfDamaged(false).build()).close();
    assertThat(touched.stream().distinct().toList())
        .hasSameSizeAs(SmallStores.files(directory, ".sst"));
  }
}
