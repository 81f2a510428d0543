package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sifr.Changes;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ChangesGoneException;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.error.UnreadableException;
import io.sifr.event.Change;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.Follower;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Threads;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reader of the changes of a store is told, and how long it can be. */
@Timeout(120)
class ChangesAreReadTest {
  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void nameTheStore() {
    directory = parent.resolve("store");
  }

  private static StoreOptions.Builder retaining() {
    return SmallStores.options().retainedLogBytes(1 << 30);
  }

  private Store open(StoreOptions.Builder options) {
    return SmallStores.open(directory, options.build());
  }

  private static List<Change> rest(Changes changes) {
    List<Change> all = new ArrayList<>();
    for (Change next = changes.next(); next != null; next = changes.next()) {
      all.add(next);
    }
    return all;
  }

  private static List<Change> changes(Store store, long from) {
    try (Changes changes = store.changes(from)) {
      return rest(changes);
    }
  }

  private static List<String> texts(Store store, long from) {
    return changes(store, from).stream().map(Follower::text).toList();
  }

  private static Change.Operation only(Change change) {
    assertThat(change).isInstanceOf(Change.Write.class);
    List<Change.Operation> operations = ((Change.Write) change).operations();
    assertThat(operations).hasSize(1);
    return operations.get(0);
  }

  private static ChangesGoneException gone(Runnable call) {
    return catchThrowableOfType(ChangesGoneException.class, call::run);
  }

  /** That what has changed are puts of keys with these numbers, one after the other. */
  private static void assertTellsOfPuts(List<Change> changes, int from, int to) {
    assertThat(changes).hasSize(to - from);
    for (int i = from; i < to; i++) {
      Change.Operation put = only(changes.get(i - from));
      assertThat(put.kind()).isEqualTo(Change.Kind.PUT);
      assertThat(put.key()).isEqualTo(key(i));
    }
  }

  @Test
  void eachKindOfWriteIsTold() {
    InstantSource clock = InstantSource.fixed(Instant.parse("2024-02-03T04:05:06Z"));
    try (Store store = Store.builder(directory).options(retaining().build()).clock(clock).open()) {
      Database counters =
          store.createDatabase(
              "counters",
              DatabaseOptions.builder().mergeOperator(MergeOperators.ADD_LONG.name()).build());
      long before = store.lastSequence();
      Database database = store.database();
      database.put(bytes("a"), bytes("1"));
      database.delete(bytes("b"));
      database.deleteRange(KeyRange.between(bytes("c"), bytes("d")));
      database.deleteRange(KeyRange.atLeast(bytes("e")));
      database.put(bytes("f"), bytes("2"), WriteOptions.expiringAfter(Duration.ofMinutes(1)));
      counters.merge(bytes("g"), MergeOperators.ofLong(5));
      store.write(
          new WriteBatch().put(database, bytes("h"), bytes("3")).delete(counters, bytes("i")));

      List<Change> changes = changes(store, before + 1);
      assertThat(changes).hasSize(7);
      assertThat(only(changes.get(0)).kind()).isEqualTo(Change.Kind.PUT);
      assertThat(only(changes.get(0)).database()).isEqualTo("default");
      assertThat(only(changes.get(0)).key()).isEqualTo(bytes("a"));
      assertThat(only(changes.get(0)).value()).isEqualTo(bytes("1"));
      assertThat(only(changes.get(0)).expiresAt()).isNull();
      assertThat(only(changes.get(1)).kind()).isEqualTo(Change.Kind.DELETE);
      assertThat(only(changes.get(1)).value()).isNull();
      assertThat(only(changes.get(2)).kind()).isEqualTo(Change.Kind.DELETE_RANGE);
      assertThat(only(changes.get(2)).key()).isEqualTo(bytes("c"));
      assertThat(only(changes.get(2)).value()).isEqualTo(bytes("d"));
      assertThat(only(changes.get(3)).kind()).isEqualTo(Change.Kind.DELETE_RANGE);
      assertThat(only(changes.get(3)).value()).isNull();
      assertThat(only(changes.get(4)).kind()).isEqualTo(Change.Kind.PUT);
      assertThat(only(changes.get(4)).value()).isEqualTo(bytes("2"));
      assertThat(only(changes.get(4)).expiresAt()).isEqualTo(Instant.parse("2024-02-03T04:06:06Z"));
      assertThat(only(changes.get(5)).kind()).isEqualTo(Change.Kind.MERGE);
      assertThat(only(changes.get(5)).database()).isEqualTo("counters");
      Change.Write batch = (Change.Write) changes.get(6);
      assertThat(batch.firstSequence()).isEqualTo(before + 7);
      assertThat(batch.lastSequence()).isEqualTo(before + 8).isEqualTo(store.lastSequence());
      assertThat(batch.operations())
          .extracting(Change.Operation::database)
          .containsExactly("default", "counters");
    }
  }

  @Test
  void whoIsInTheMiddleOfABatchIsToldAllOfIt() {
    try (Store store = open(retaining())) {
      store.write(
          new WriteBatch()
              .put(store.database(), key(0), key(0))
              .put(store.database(), key(1), key(1)));
      assertThat(changes(store, 2)).hasSize(1);
      assertThat(changes(store, 2).get(0).firstSequence()).isEqualTo(1);
      assertThat(changes(store, 3)).isEmpty();
    }
  }

  @Test
  void databasesComeAndGoAmongTheWrites() {
    try (Store store = open(retaining())) {
      Database first = store.openOrCreateDatabase("x");
      first.put(key(1), key(1));
      store.dropDatabase("x");
      DatabaseOptions options = DatabaseOptions.builder().expireAfter(Duration.ofDays(1)).build();
      Database second = store.openOrCreateDatabase("x", options);
      store.alterDatabase("x", DatabaseOptions.DEFAULT);
      second.put(key(2), key(2));

      List<Change> changes = changes(store, 1);
      assertThat(changes).hasSize(6);
      assertThat(changes.get(0))
          .isEqualTo(new Change.DatabaseCreated(1, "x", DatabaseOptions.DEFAULT));
      assertThat(only(changes.get(1)).database()).isEqualTo("x");
      assertThat(changes.get(2)).isEqualTo(new Change.DatabaseDropped(3, "x"));
      assertThat(changes.get(3)).isEqualTo(new Change.DatabaseCreated(4, "x", options));
      assertThat(changes.get(4))
          .isEqualTo(new Change.DatabaseAltered(5, "x", DatabaseOptions.DEFAULT));
      assertThat(only(changes.get(5)).key()).isEqualTo(key(2));
      // What changes nothing is no change.
      assertThat(store.openOrCreateDatabase("x").name()).isEqualTo("x");
      assertThatThrownBy(() -> store.createDatabase("x", DatabaseOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class);
      store.database().put(key(3), key(3));
      assertThat(changes(store, 7)).hasSize(1);
    }
    // Names of databases that are gone survive a restart.
    try (Store store = open(retaining())) {
      assertThat(only(changes(store, 1).get(1)).database()).isEqualTo("x");
    }
  }

  @Test
  void ingestedFilesAreToldByTheirRanges() {
    try (Store store = open(retaining())) {
      store.database().put(key(1), key(1));
      try (SstFileWriter writer = SstFileWriter.create(parent.resolve("file"), store.options())) {
        writer.put(key(10), key(10));
        writer.put(key(20), key(20));
        store.database().ingest(writer.finish().files(), IngestOptions.DEFAULT);
      }
      store.database().put(key(2), key(2));

      List<Change> changes = changes(store, 1);
      assertThat(changes).hasSize(3);
      Change.Ingested ingested = (Change.Ingested) changes.get(1);
      assertThat(ingested.firstSequence()).isEqualTo(2);
      assertThat(ingested.ranges()).hasSize(1);
      assertThat(ingested.ranges().get(0).database()).isEqualTo("default");
      assertThat(ingested.ranges().get(0).first()).isEqualTo(key(10));
      assertThat(ingested.ranges().get(0).last()).isEqualTo(key(20));
      assertThat(only(changes.get(2)).key()).isEqualTo(key(2));
    }
  }

  @Test
  void changesAreThereAfterFlushesAndRestarts() {
    for (int life = 0; life < 5; life++) {
      try (Store store = open(retaining())) {
        SmallStores.fill(store.database(), life * 500, (life + 1) * 500, 1);
        assertTellsOfPuts(changes(store, 1), 0, (life + 1) * 500);
        assertTellsOfPuts(changes(store, life * 500 + 101), life * 500 + 100, (life + 1) * 500);
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void aLogThatIsResumedGoesOn() {
    for (int life = 0; life < 20; life++) {
      try (Store store = open(retaining().keptLogBytes(1 << 20))) {
        SmallStores.fill(store.database(), life * 30, (life + 1) * 30, 1);
        assertTellsOfPuts(changes(store, 1), 0, (life + 1) * 30);
      }
      try (Store store = open(retaining().keptLogBytes(1 << 20))) {
        assertTellsOfPuts(changes(store, 1), 0, (life + 1) * 30);
      }
    }
  }

  @Test
  void changesAreThereAfterAKill() throws IOException {
    for (int life = 0; life < 4; life++) {
      Path killed = parent.resolve("killed-" + life);
      try (Store store = open(retaining())) {
        SmallStores.fill(store.database(), life * 500, (life + 1) * 500, 1);
        store.awaitIdle();
        SmallStores.copy(directory, killed);
      }
      directory = killed;
      try (Store store = open(retaining())) {
        assertTellsOfPuts(changes(store, 1), 0, (life + 1) * 500);
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void aRecoveryReadsNothingThatIsOnlyRetained() throws IOException {
    Path killed = parent.resolve("killed");
    try (Store store = open(retaining())) {
      SmallStores.fill(store.database(), 0, 3000, 1);
      store.flush();
      store.awaitIdle();
      SmallStores.copy(directory, killed);
    }
    AtomicInteger opened = new AtomicInteger();
    StoreFileSystem counting =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public RandomReadFile openForRead(Path file) {
            if (file.toString().endsWith(".wal")) {
              opened.incrementAndGet();
            }
            return super.openForRead(file);
          }
        };
    try (Store store = TestStores.open(killed, retaining().build(), counting)) {
      assertThat(store.statistics().get(Metric.RETAINED_LOG_SEGMENTS)).isGreaterThan(10);
      assertThat(opened).hasValueLessThan(5);
    }
  }

  @Test
  void beyondItsBytesTheLogIsGivenBack() {
    long limit = 100_000;
    try (Store store = open(SmallStores.options().retainedLogBytes(limit))) {
      SmallStores.fill(store.database(), 0, 5000, 1);
      store.flush();
      store.awaitIdle();
      StoreStatistics retained = store.statistics();
      assertThat(retained.get(Metric.RETAINED_LOG_BYTES)).isBetween(limit - 20_000, limit);
      assertThat(retained.get(Metric.LAST_SEQUENCE)).isEqualTo(5000);
      assertThat(retained.get(Metric.OLDEST_SEQUENCE)).isBetween(4000L, 4800L);
      assertThat(SmallStores.files(directory, ".wal")).hasSizeLessThan(16);
      long oldest = store.oldestChange();
      assertThat(oldest).isEqualTo(retained.get(Metric.OLDEST_SEQUENCE));
      assertTellsOfPuts(changes(store, oldest), (int) oldest - 1, 5000);
      ChangesGoneException gone = Objects.requireNonNull(gone(() -> changes(store, oldest - 1)));
      assertThat(gone.sequence()).isEqualTo(oldest - 1);
      assertThat(gone.oldestSequence()).isEqualTo(oldest);
      assertThat(gone)
          .hasMessageContaining("sequence number " + (oldest - 1))
          .hasMessageContaining("from sequence number " + oldest);
    }
    try (Store store = open(SmallStores.options().retainedLogBytes(40_000))) {
      assertThat(store.statistics().get(Metric.RETAINED_LOG_BYTES)).isBetween(20_000L, 40_000L);
    }
    // Who says nothing of it takes nothing away.
    try (Store store = open(SmallStores.options())) {
      assertThat(store.statistics().get(Metric.RETAINED_LOG_BYTES)).isBetween(20_000L, 40_000L);
      store.database().put(key(5000), key(1), WriteOptions.UNLOGGED);
      long oldest = store.oldestChange();
      assertTellsOfPuts(changes(store, oldest), (int) oldest - 1, 5001);
    }
    try (Store store = open(SmallStores.options().retainedLogBytes(0))) {
      StoreStatistics retained = store.statistics();
      assertThat(retained.get(Metric.RETAINED_LOG_BYTES)).isZero();
      assertThat(retained.get(Metric.RETAINED_LOG_SEGMENTS)).isZero();
      assertThat(retained.get(Metric.OLDEST_SEQUENCE)).isZero();
      assertThat(retained.get(Metric.LAST_SEQUENCE)).isEqualTo(5001);
      assertThat(store.oldestChange()).isEqualTo(5002);
    }
    assertThat(SmallStores.files(directory, ".wal")).isEmpty();
    try (Store store = open(SmallStores.options())) {
      assertThat(store.statistics().get(Metric.RETAINED_LOG_BYTES)).isZero();
    }
  }

  @Test
  void beyondItsTimeTheLogIsGivenBack() {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2024-02-03T04:05:06Z"));
    StoreOptions options = SmallStores.options().retainedLogSeconds(3600).build();
    try (Store store = Store.builder(directory).options(options).clock(now::get).open()) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      now.updateAndGet(time -> time.plusSeconds(3000));
      SmallStores.fill(store.database(), 1000, 2000, 1);
      store.flush();
      assertTellsOfPuts(changes(store, 1), 0, 2000);
      now.updateAndGet(time -> time.plusSeconds(1000));
      SmallStores.fill(store.database(), 2000, 2010, 1);
      store.flush();
      store.awaitIdle();
      long oldest = store.oldestChange();
      assertThat(oldest).isBetween(800L, 1001L);
      assertTellsOfPuts(changes(store, oldest), (int) oldest - 1, 2010);
    }
    now.updateAndGet(time -> time.plusSeconds(7200));
    try (Store store = Store.builder(directory).options(options).clock(now::get).open()) {
      assertThat(store.oldestChange()).isEqualTo(2011);
      assertThat(store.statistics().get(Metric.RETAINED_LOG_BYTES)).isZero();
    }
  }

  @Test
  void aReaderThatIsTooSlowIsTold() {
    try (Store store = open(SmallStores.options().retainedLogBytes(64 << 10))) {
      SmallStores.fill(store.database(), 0, 300, 1);
      try (Changes changes = store.changes(1)) {
        assertThat(only(Objects.requireNonNull(changes.next())).key()).isEqualTo(key(0));
        SmallStores.fill(store.database(), 300, 5000, 1);
        store.flush();
        store.awaitIdle();
        ChangesGoneException gone = Objects.requireNonNull(gone(() -> rest(changes)));
        assertThat(gone.oldestSequence()).isEqualTo(store.oldestChange());
        assertThat(gone.sequence()).isLessThan(gone.oldestSequence());
        assertThat(gone(() -> rest(changes))).isNotNull(); // again
      }
    }
  }

  @Test
  void withoutRetentionThereIsWhatIsNotFlushed() {
    try (Store store = open(SmallStores.options())) {
      assertThat(store.oldestChange()).isEqualTo(1);
      SmallStores.fill(store.database(), 0, 50, 1);
      assertTellsOfPuts(changes(store, 1), 0, 50);
      SmallStores.fill(store.database(), 50, 3000, 1);
      store.flush();
      store.awaitIdle();
      assertThat(gone(() -> changes(store, 1))).isNotNull();
      long oldest = store.oldestChange();
      assertTellsOfPuts(changes(store, oldest), (int) oldest - 1, 3000);
    }
  }

  @Test
  void aWriteThatWasNotLoggedIsNotPassedOver() {
    try (Store store = open(SmallStores.options())) {
      store.database().put(key(0), key(0));
      store.database().put(key(1), key(1), WriteOptions.UNLOGGED);
      store.database().put(key(2), key(2));
      try (Changes changes = store.changes(1)) {
        assertThat(only(Objects.requireNonNull(changes.next())).key()).isEqualTo(key(0));
        ChangesGoneException gone = Objects.requireNonNull(gone(() -> rest(changes)));
        assertThat(gone.sequence()).isEqualTo(2);
        assertThat(gone.oldestSequence()).isEqualTo(3);
      }
      assertTellsOfPuts(changes(store, 3), 2, 3);
    }
  }

  @Test
  void whileTheLogIsRetainedEveryWriteIsLogged() {
    try (Store store = open(retaining().durability(Durability.NONE))) {
      SmallStores.fill(store.database(), 0, 500, 1);
      assertTellsOfPuts(changes(store, 1), 0, 500);
    }
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    try (Store store = open(retaining())) {
      store.database().put(key(0), key(0));
      assertThatThrownBy(() -> store.changes(0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is 0; allowed: 1 to 2");
      assertThatThrownBy(() -> store.changes(3)).isInstanceOf(IllegalArgumentException.class);
      assertThat(changes(store, 2)).isEmpty();
    }
  }

  @Test
  void aSnapshotAndTheChangesAfterItAreThePresent() {
    try (Store store = open(retaining());
        Store copy = SmallStores.open(parent.resolve("copy"))) {
      SmallStores.fill(store.database(), 0, 500, 1);
      try (Snapshot snapshot = store.snapshot()) {
        SmallStores.fill(store.database(), 200, 700, 2);
        try (Cursor cursor = store.database().cursor(KeyRange.all(), ReadOptions.at(snapshot))) {
          while (cursor.next()) {
            copy.database().put(cursor.key(), cursor.value());
          }
        }
        try (Changes changes = store.changes(snapshot.sequence() + 1)) {
          assertThat(new Follower(copy).follow(changes)).isEqualTo(store.lastSequence());
        }
      }
      assertThat(SmallStores.content(copy.database()))
          .isEqualTo(SmallStores.content(store.database()));
    }
  }

  @Test
  void aCheckpointBeginsWhereItsChangesEnd() {
    try (Store store = open(retaining())) {
      SmallStores.fill(store.database(), 0, 500, 1);
      store.checkpoint(parent.resolve("copy"));
      SmallStores.fill(store.database(), 200, 700, 2);
      try (Store copy = SmallStores.open(parent.resolve("copy"))) {
        assertThat(copy.lastSequence()).isEqualTo(500);
        try (Changes changes = store.changes(501)) {
          assertThat(new Follower(copy).follow(changes)).isEqualTo(1000);
        }
        assertThat(SmallStores.content(copy.database()))
            .isEqualTo(SmallStores.content(store.database()));
      }
    }
  }

  @Test
  void whoWaitsIsToldWhatOthersWrite() {
    int writers = 4;
    int each = 2000;
    try (Store store = open(retaining());
        Store copy = SmallStores.open(parent.resolve("copy"))) {
      Follower follower = new Follower(copy);
      Threads.run(
          writers + 1,
          thread -> {
            if (thread < writers) {
              SmallStores.fill(store.database(), thread * each, (thread + 1) * each, 1);
            } else {
              follow(store, follower, (long) writers * each);
            }
          });
      assertThat(SmallStores.content(copy.database()))
          .isEqualTo(SmallStores.filled(0, writers * each, 1));
    }
  }

  @Test
  void waitingEndsWithTheTimeOrAnInterrupt() throws Exception {
    try (Store store = open(retaining());
        Changes changes = store.changes(1)) {
      assertThat(changes.next(Duration.ofMillis(5))).isNull();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> changes.next(Duration.ofDays(1_000_000)))
          .isInstanceOf(InterruptedException.class);
      store.database().put(key(0), key(0));
      assertThat(changes.next(Duration.ofDays(1_000_000))).isNotNull();
    }
  }

  @Test
  void afterCloseNothingIsTold() {
    Changes changes;
    try (Store store = open(retaining())) {
      store.database().put(key(0), key(0));
      try (Changes closed = store.changes(1)) {
        closed.close();
        assertThatThrownBy(closed::next).isInstanceOf(IllegalStateException.class);
      }
      changes = store.changes(1);
    }
    try (changes) {
      assertThatThrownBy(changes::next)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the store is closed");
    }
  }

  @Test
  void aDamagedSegmentIsNamed() throws IOException {
    try (Store store = open(retaining())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
    }
    Path damaged = SmallStores.files(directory, ".wal").get(2);
    try (RandomAccessFile file = new RandomAccessFile(damaged.toFile(), "rw")) {
      file.seek(5000);
      int before = file.read();
      file.seek(5000);
      file.write(before ^ 1);
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.file()).isEqualTo(damaged.toRealPath()));
    try (Store store = open(retaining());
        Changes changes = store.changes(1)) {
      int told = 0;
      CorruptionException failure = null;
      while (failure == null) {
        try {
          assertThat(only(Objects.requireNonNull(changes.next())).key()).isEqualTo(key(told++));
        } catch (CorruptionException e) {
          failure = e;
        }
      }
      assertThat(failure.file()).isEqualTo(damaged.toRealPath());
      assertThat(failure.offset()).isBetween(4500L, 5000L);
      assertThat(told).isGreaterThan(100);
      assertThatThrownBy(changes::next).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void aSegmentThatIsMissingIsNamed() throws IOException {
    try (Store store = open(retaining())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
    }
    Path missing = SmallStores.files(directory, ".wal").get(2);
    Files.delete(missing);
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(finding -> assertThat(finding.what()).contains("retained but missing"));
    try (Store store = open(retaining());
        Changes changes = store.changes(1)) {
      assertThatThrownBy(() -> rest(changes))
          .isInstanceOf(SifrException.class)
          .isNotInstanceOf(ChangesGoneException.class)
          .hasMessageContaining(missing.getFileName().toString());
    }
  }

  @Test
  void aReadThatFailsIsTriedAgainByTheNextCall() {
    FaultyFileSystem disk = new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    try (Store store = TestStores.open(directory, retaining().build(), disk)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      List<String> expected = texts(store, 1);
      List<String> told = new ArrayList<>();
      int failures = 0;
      try (Changes changes = store.changes(1)) {
        while (told.size() < 1000) {
          if (told.size() % 100 == 0 && failures <= told.size() / 100) {
            disk.failOnce(Operation.READ, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
          }
          try {
            @Nullable Change next = changes.next();
            told.add(Follower.text(next));
          } catch (UnreadableException e) {
            failures++;
          }
        }
      }
      disk.heal();
      assertThat(told).isEqualTo(expected);
      assertThat(failures).isPositive();
    }
  }

  @Test
  void onAFullDiskWhatIsOnlyRetainedIsGivenBackFirst() {
    AtomicInteger most = new AtomicInteger(Integer.MAX_VALUE);
    StoreFileSystem disk =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public AppendFile create(Path file) {
            boolean isSegment = file.toString().endsWith(".wal.new");
            if (isSegment && SmallStores.files(directory, ".wal").size() >= most.get()) {
              throw new StoreFullException(file, "create", new IOException("No space left"));
            }
            return super.create(file);
          }
        };
    try (Store store = TestStores.open(directory, retaining().build(), disk)) {
      SmallStores.fill(store.database(), 0, 2000, 1);
      store.flush();
      store.awaitIdle();
      assertThat(store.oldestChange()).isEqualTo(1);
      most.set(SmallStores.files(directory, ".wal").size());
      SmallStores.fill(store.database(), 2000, 4000, 1);
      long oldest = store.oldestChange();
      assertThat(oldest).isGreaterThan(1);
      assertTellsOfPuts(changes(store, oldest), (int) oldest - 1, 4000);
    }
  }

  /** A reader at every place of the log, some of them at the end of a segment that goes. */
  @Test
  void aSegmentThatWasReadToItsEndIsNotMissed() {
    StoreOptions.Builder unflushed = SmallStores.options().writeBufferBytes(1 << 20);
    try (Store store = open(unflushed.retainedLogBytes(40_000))) {
      int last = 500;
      SmallStores.fill(store.database(), 0, last, 1);
      long first = store.oldestChange();
      List<Changes> readers = new ArrayList<>();
      for (long from = first; from <= last; from++) {
        Changes reader = store.changes(from);
        only(awaited(reader));
        readers.add(reader);
      }
      int written = last;
      while (store.oldestChange() <= first + 20) {
        SmallStores.fill(store.database(), written, written + 50, 1);
        written += 50;
        store.flush();
      }
      store.awaitIdle();
      long oldest = store.oldestChange();
      int goesOn = 0;
      for (Changes reader : readers) {
        long next = reader.nextSequence();
        if (next < oldest) {
          assertThatThrownBy(reader::next).isInstanceOf(ChangesGoneException.class);
        } else {
          assertThat(text(only(awaited(reader)).key())).isEqualTo(text(key((int) next - 1)));
          goesOn++;
        }
        reader.close();
      }
      assertThat(goesOn).as("oldest %d, written %d", oldest, written).isPositive();
    }
  }

  @Test
  void recyclingOfSegmentsDisturbsNoReader() {
    try (Store store = open(SmallStores.options().retainedLogBytes(200_000))) {
      int last = 20_000;
      Threads.run(
          3,
          thread -> {
            if (thread == 0) {
              SmallStores.fill(store.database(), 0, last, 1);
            } else {
              readAll(store, last);
            }
          });
    }
  }

  /** Reads as fast as it can, and begins anew whenever it is too slow. */
  private static void readAll(Store store, int last) {
    long next = 1;
    while (next <= last) {
      try (Changes changes = store.changes(next)) {
        while (next <= last) {
          Change.Operation put = only(awaited(changes));
          assertThat(text(put.key())).isEqualTo(text(key((int) next - 1)));
          assertThat(put.value()).isEqualTo(value((int) next - 1, 1));
          next++;
        }
      } catch (ChangesGoneException e) {
        assertThat(e.oldestSequence()).isGreaterThan(next);
        next = store.oldestChange();
      }
    }
  }

  private static void follow(Store store, Follower follower, long last) {
    try (Changes changes = store.changes(1)) {
      while (changes.nextSequence() <= last) {
        follower.apply(awaited(changes));
      }
    }
  }

  private static Change awaited(Changes changes) {
    try {
      return Objects.requireNonNull(changes.next(Duration.ofSeconds(60)));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
