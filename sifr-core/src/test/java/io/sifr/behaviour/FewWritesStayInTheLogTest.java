package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFailedException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.inspect.salvage.SalvageReport;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that is closed leaves a few writes in its log; the next opening reads them back. */
class FewWritesStayInTheLogTest {
  private static final CheckProgress SILENT = (done, total) -> {};

  @TempDir Path directory;
  private Path store;

  private static StoreOptions.Builder options() {
    return SmallStores.options().keptLogBytes(StoreOptions.DEFAULT.keptLogBytes());
  }

  private Store open() {
    return open(options().build());
  }

  @BeforeEach
  void nameTheStore() {
    store = directory.resolve("store");
  }

  private Store open(StoreOptions options) {
    return SmallStores.open(store, options);
  }

  private static int trees(Store store, String database) {
    return store.database(database).forest().trees();
  }

  private void assertSound() {
    CheckReport report = StoreCheck.run(store, SILENT);
    assertThat(report.findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void writesOfManyLivesShareOneSegmentAndMakeNoTree(LogAccess access) {
    StoreOptions options = options().logAccess(access).build();
    Map<String, String> expected = new TreeMap<>();
    for (int life = 0; life < 20; life++) {
      try (Store store = open(options)) {
        assertThat(SmallStores.content(store.database())).isEqualTo(expected);
        assertThat(trees(store, "default")).isZero();
        SmallStores.fill(store.database(), life, life + 2, life);
        expected.putAll(SmallStores.filled(life, life + 2, life));
      }
      assertThat(SmallStores.files(store, ".wal")).hasSize(1);
      assertThat(SmallStores.files(store, ".sst")).isEmpty();
      assertSound();
    }
  }

  /** What was read back is flushed with what is written later, and its segments go. */
  @Test
  void whatHasBecomeManyIsFlushed() {
    for (int life = 0; life < 12; life++) {
      try (Store store = open()) {
        SmallStores.fill(store.database(), 50 * life, 50 * (life + 1), 1);
      }
    }
    try (Store store = open()) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 600, 1));
      assertThat(trees(store, "default")).isPositive();
    }
    assertThat(SmallStores.files(store, ".wal")).hasSizeLessThan(8);
    assertSound();
  }

  @Test
  void moreThanTheLimitIsFlushed() {
    StoreOptions options = options().keptLogBytes(4096).build();
    try (Store store = open(options)) {
      SmallStores.fill(store.database(), 0, 10, 1);
    }
    assertThat(SmallStores.files(store, ".wal")).isNotEmpty();
    try (Store store = open(options)) {
      SmallStores.fill(store.database(), 10, 60, 1);
    }
    assertThat(SmallStores.files(store, ".wal")).isEmpty();
    try (Store store = open(options)) {
      assertThat(trees(store, "default")).isOne();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 60, 1));
    }
  }

  @Test
  void nothingStaysWhenNothingMay() {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 10, 1);
    }
    StoreOptions none = options().keptLogBytes(0).build();
    open(none).close();
    assertThat(SmallStores.files(store, ".wal")).isEmpty();
    try (Store store = open(none)) {
      assertThat(trees(store, "default")).isOne();
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 10, 1));
    }
    assertSound();
  }

  /** Of two databases one has a write that is in no log: it is flushed, the other stays. */
  @Test
  void unloggedWritesAreFlushedBesideThoseThatStay() {
    try (Store store = open()) {
      Database other = store.openOrCreateDatabase("other");
      store.write(
          new WriteBatch()
              .put(store.database(), SmallStores.key(1), SmallStores.value(1, 1))
              .put(other, SmallStores.key(1), SmallStores.value(1, 1)));
      other.put(SmallStores.key(2), SmallStores.value(2, 1), WriteOptions.UNLOGGED);
    }
    for (int life = 0; life < 2; life++) {
      try (Store store = open()) {
        assertThat(trees(store, "default")).isZero();
        assertThat(trees(store, "other")).isOne();
        assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(1, 2, 1));
        assertThat(SmallStores.content(store.database("other")))
            .isEqualTo(SmallStores.filled(1, 3, 1));
      }
    }
    // Unlogged writes into a buffer that was read back take it into a tree as well.
    try (Store store = open()) {
      store.database().put(SmallStores.key(3), SmallStores.value(3, 1), WriteOptions.UNLOGGED);
    }
    assertThat(SmallStores.files(store, ".wal")).isEmpty();
    try (Store store = open()) {
      assertThat(SmallStores.content(store.database())).hasSize(2);
    }
    assertSound();
  }

  @Test
  void droppedDatabaseStaysDroppedAlthoughTheLogHoldsItsEntries() {
    try (Store store = open()) {
      SmallStores.fill(store.openOrCreateDatabase("gone"), 0, 5, 1);
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    try (Store store = open()) {
      store.dropDatabase("gone");
    }
    try (Store store = open()) {
      assertThat(store.databaseNames()).containsExactly("default");
      assertThat(SmallStores.content(store.openOrCreateDatabase("gone"))).isEmpty();
      assertThat(SmallStores.content(store.database())).hasSize(5);
    }
    assertSound();
  }

  @Test
  void snapshotsSeeOneStateOfWhatWasReadBack() {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
      SmallStores.fill(store.database(), 0, 5, 2);
    }
    try (Store store = open();
        Snapshot snapshot = store.snapshot()) {
      SmallStores.fill(store.database(), 0, 5, 3);
      store.flush();
      assertThat(store.database().get(SmallStores.key(3), ReadOptions.at(snapshot)))
          .isEqualTo(SmallStores.value(3, 2));
      assertThat(store.database().get(SmallStores.key(3))).isEqualTo(SmallStores.value(3, 3));
    }
  }

  /** From the first write on nobody may rely on it. */
  @Test
  void theManifestTellsWhereTheLogEndsUntilSomethingIsLogged() {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    try (Store store = open()) {
      store.database().put(SmallStores.key(9), SmallStores.value(9, 1), WriteOptions.UNLOGGED);
      store.flush();
      assertThat(catalog().logClosed()).isNotNull();
      SmallStores.fill(store.database(), 5, 6, 1);
      assertThat(catalog().logClosed()).isNull();
    }
    assertThat(catalog().logClosed()).isNotNull();
  }

  private Catalog catalog() {
    return Manifest.recover(new DiskFileSystem(), store).catalog();
  }

  /** A copy of an open store: the manifest of the copy is as it was when the log was resumed. */
  @Test
  void whatAKilledProcessLeavesOfALogThatWasResumedIsRead() throws IOException {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    Path killed = directory.resolve("killed");
    try (Store store = open()) {
      SmallStores.fill(store.database(), 5, 10, 1);
      SmallStores.copy(this.store, killed);
    }
    try (Store store = SmallStores.open(killed)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 10, 1));
      assertThat(trees(store, "default")).isOne();
    }
  }

  /** The log of a copy reaches further than its manifest says: as much is taken as is whole. */
  @Test
  void logThatWasResumedWithoutTheManifestBeingToldIsReadToItsEnd() throws IOException {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    Path copy = directory.resolve("copy");
    SmallStores.copy(store, copy);
    try (Store store = open()) {
      SmallStores.fill(store.database(), 5, 10, 1);
    }
    Path segment = SmallStores.files(store, ".wal").get(0);
    Files.write(copy.resolve(segment.getFileName()), Files.readAllBytes(segment));
    try (Store store = SmallStores.open(copy)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 10, 1));
      assertThat(trees(store, "default")).isOne();
      SmallStores.fill(store.database(), 10, 12, 1);
    }
    try (Store store = SmallStores.open(copy)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 12, 1));
    }
  }

  /** No mark in the log tells it: the manifest does. */
  @Test
  void logThatEndsBeforeThePlaceWhereItWasClosedIsDamage() throws IOException {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    Path segment = SmallStores.files(store, ".wal").get(0);
    byte[] whole = Files.readAllBytes(segment);
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(400);
      file.write(new byte[whole.length - 400]); // the last records, and the mark of the segment
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the log was closed at");
    assertThat(StoreCheck.run(store, SILENT).findings())
        .anyMatch(finding -> finding.what().contains("the log was closed at"));
    SalvageReport report = Salvage.run(store, directory.resolve("salvaged"), SILENT);
    assertThat(report.lost()).isNotEmpty();

    Files.delete(segment);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the segment is needed but missing");
    assertThat(StoreCheck.run(store, SILENT).findings())
        .anyMatch(finding -> finding.what().contains("needed but missing"));
    report = Salvage.run(store, directory.resolve("salvaged-2"), SILENT);
    assertThat(report.lost()).isNotEmpty();
  }

  @Test
  void salvageTakesWhatIsInTheLog() {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 5, 1);
    }
    Path salvaged = directory.resolve("salvaged");
    SalvageReport report = Salvage.run(store, salvaged, SILENT);
    assertThat(report.lost()).isEmpty();
    try (Store store = SmallStores.open(salvaged)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 5, 1));
    }
  }

  /** A log that cannot be synced keeps nothing: SSTs have to. */
  @Test
  void everythingIsFlushedWhenTheLogCannotBeSynced() {
    FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
    Path directory = this.directory.resolve("faulty");
    StoreOptions options = options().logAccess(LogAccess.WRITTEN).build();
    Store store = TestStores.open(directory, options, faulty);
    SmallStores.fill(store.database(), 0, 5, 1);
    faulty.failForGood(Operation.SYNC, path -> path.toString().endsWith(".wal"), 1, Fault.EIO);
    try {
      store.close();
    } finally {
      faulty.heal();
    }
    assertThat(SmallStores.files(directory, ".wal")).isEmpty();
    try (Store reopened = SmallStores.open(directory, options)) {
      assertThat(trees(reopened, "default")).isOne();
      assertThat(SmallStores.content(reopened.database())).hasSize(5);
    }
  }

  /**
   * Everything acknowledged is durable then, but not the seal of the segment before: a log that
   * were kept could not be read to its end after a loss of power.
   */
  @Test
  void everythingIsFlushedWhenTheFirstRecordOfASegmentCannotBeWritten() {
    FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
    StoreOptions options =
        options().logAccess(LogAccess.WRITTEN).durability(Durability.SYNC).build();
    Store failing = TestStores.open(store, options, faulty);
    SmallStores.fill(failing.database(), 0, 1, 1);
    Path first = SmallStores.files(store, ".wal").get(0).getFileName();
    faulty.failOnce(
        Operation.WRITE,
        path -> path.toString().endsWith(".wal") && !path.getFileName().equals(first),
        1,
        Fault.EIO);
    int[] acknowledged = {1};
    assertThatThrownBy(
            () -> {
              while (acknowledged[0] < 10_000) {
                SmallStores.fill(failing.database(), acknowledged[0], acknowledged[0] + 1, 1);
                acknowledged[0]++;
              }
            })
        .isInstanceOf(StoreFailedException.class);
    failing.close();
    assertThat(SmallStores.files(store, ".wal")).isEmpty();
    try (Store reopened = SmallStores.open(store, options)) {
      assertThat(SmallStores.content(reopened.database())).hasSize(acknowledged[0]);
    }
  }
}
