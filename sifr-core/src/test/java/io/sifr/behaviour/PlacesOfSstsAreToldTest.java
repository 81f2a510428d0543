package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.event.SstPlace;
import io.sifr.event.StoreStatistics;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whoever looks at a store sees which SSTs lie in its directory, the fast one and the cold one. */
class PlacesOfSstsAreToldTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final Path COLD = Path.of("/cold");
  private static final Map<Path, SstPlace> PLACES =
      Map.of(DIRECTORY, SstPlace.STORE, FAST, SstPlace.FAST, COLD, SstPlace.COLD);

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  /** How often the cold directory was listed, or files were asked for, opened or read there. */
  private final AtomicInteger listed = new AtomicInteger();

  private final ObjectStorage files =
      new ObjectStorage(disk.fileSystem(), COLD) {
        @Override
        public List<String> list(Path directory) {
          if (isThere(directory)) {
            listed.incrementAndGet();
          }
          return super.list(directory);
        }
      };

  private static StoreOptions.Builder without() {
    return SmallStores.options().checkBytesPerSecond(0); // it would read there, too
  }

  private static StoreOptions with() {
    return without().coldDirectory(COLD).fastDirectory(FAST).fastBytes(256 << 10).build();
  }

  private Store open(StoreOptions options) {
    return TestStores.open(DIRECTORY, options, files);
  }

  private List<Long> ssts(Path directory) {
    StoreFileSystem all = disk.fileSystem();
    return all.isDirectory(directory) ? FileKind.SST.numbersIn(all, directory) : List.of();
  }

  /** Where the files are. */
  private Map<Long, SstPlace> found() {
    Map<Long, SstPlace> found = new TreeMap<>();
    PLACES.forEach(
        (directory, place) -> ssts(directory).forEach(number -> found.put(number, place)));
    return found;
  }

  private static Map<Long, SstPlace> told(Store store) {
    Map<Long, SstPlace> told = new TreeMap<>();
    for (String database : store.databaseNames()) {
      for (ForestShape.Stage stage : store.database(database).forest().stages()) {
        for (ForestShape.Tree tree : stage.trees()) {
          tree.ssts().forEach(sst -> told.put(sst.number(), sst.place()));
        }
      }
    }
    return told;
  }

  private long bytes(Path directory) {
    return ssts(directory).stream()
        .mapToLong(number -> disk.fileSystem().size(FileKind.SST.path(directory, number)))
        .sum();
  }

  private void assertTold(Store store) {
    assertThat(told(store)).isEqualTo(found());
    StoreStatistics now = store.statistics();
    assertThat(now.get(Metric.FAST_SST_BYTES)).isEqualTo(bytes(FAST));
    assertThat(now.get(Metric.COLD_SST_BYTES)).isEqualTo(bytes(COLD));
    assertThat(now.get(Metric.LIVE_BYTES)).isEqualTo(bytes(FAST) + bytes(COLD) + bytes(DIRECTORY));
  }

  /** Each database gets its SSTs in another directory. */
  private void fillAll() {
    try (Store store = open(without().coldDirectory(COLD).build())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      fill(store.openOrCreateDatabase("rows"), 0, 200, 1);
      store.flush();
    }
    try (Store store = open(with())) {
      fill(store.openOrCreateDatabase("fast"), 0, 200, 1);
      store.flush();
    }
    assertThat(found().values()).contains(SstPlace.values());
  }

  @Test
  void ofAStoreThatIsOpened() {
    fillAll();
    try (Store store = open(with())) {
      assertTold(store);
    }
    try (Store store = TestStores.openReadOnly(DIRECTORY, with(), files)) {
      assertTold(store);
    }
  }

  @Test
  void ofOneThatIsWrittenTo() {
    try (Store store = open(with())) {
      assertTold(store);
      fill(store.database(), 0, 1000, 1);
      store.flush();
      store.awaitIdle();
      assertThat(found().values()).contains(SstPlace.FAST);
      assertTold(store);
      store.database().compact();
      assertThat(found().values()).containsOnly(SstPlace.COLD);
      assertTold(store);
      fill(store.database(), 500, 1500, 2);
      store.flush();
      store.awaitIdle();
      assertTold(store);
    }
    try (Store store = open(without().build())) { // leaves both
      store.database().compact();
      assertThat(found().values()).containsOnly(SstPlace.STORE);
      assertTold(store);
    }
  }

  /** Also when it was opened before the store had any other directory. */
  @Test
  void ofAReaderThatIsRefreshed() {
    open(without().build()).close();
    Store first = TestStores.openReadOnly(DIRECTORY, without().build(), files);
    fillAll();
    Store second = first.refreshed();
    first.close();
    assertTold(second);
    assertThat(content(second.database("fast"))).isEqualTo(filled(0, 200, 1));
    try (Store writer = open(with())) {
      fill(writer.database("fast"), 200, 400, 1);
      writer.flush();
      fill(writer.database(), 500, 1500, 2);
      writer.database().compact();
    }
    Store third = second.refreshed();
    second.close();
    assertTold(third);
    assertThat(content(third.database("fast"))).isEqualTo(filled(0, 400, 1));
    third.close();
  }

  /** It may take long to answer, or be gone, and figures are taken often. */
  @Test
  void theColdDirectoryIsNotAskedAgain() {
    fillAll();
    try (Store store = open(with())) {
      listed.set(0);
      files.touched.set(0);
      assertThat(told(store)).isEqualTo(found());
      assertThat(told(store).values()).contains(SstPlace.COLD);
      assertThat(listed).hasValue(0);
      assertTold(store);
      assertThat(listed).hasValue(1); // for the bytes of all files
      assertThat(files.touched).hasValue(0);
    }
  }

  @Test
  void bytesAreCountedWhereTheyAreWritten() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      store.awaitIdle();
      StoreStatistics flushed = store.statistics();
      assertThat(flushed.get(Metric.FAST_WRITTEN_BYTES))
          .isEqualTo(flushed.get(Metric.FLUSH_BYTES)) // not those of the log
          .isPositive();
      assertThat(flushed.get(Metric.COLD_WRITTEN_BYTES)).isZero();
      store.database().compact();
      StoreStatistics compacted = store.statistics();
      assertThat(compacted.get(Metric.FAST_WRITTEN_BYTES))
          .isEqualTo(flushed.get(Metric.FAST_WRITTEN_BYTES));
      assertThat(compacted.get(Metric.COLD_WRITTEN_BYTES))
          .isEqualTo(compacted.get(Metric.COMPACTION_BYTES))
          .isEqualTo(bytes(COLD));
    }
    try (Store store = open(with())) {
      assertThat(store.statistics().get(Metric.COLD_WRITTEN_BYTES)).isZero();
    }
  }

  @Test
  void aStoreWithoutOthersHasAllInItsOwn() {
    try (Store store = open(without().build())) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      assertTold(store);
      assertThat(told(store).values()).containsOnly(SstPlace.STORE);
      assertThat(store.statistics().get(Metric.FAST_WRITTEN_BYTES)).isZero();
      assertThat(store.statistics().get(Metric.COLD_WRITTEN_BYTES)).isZero();
    }
  }
}
