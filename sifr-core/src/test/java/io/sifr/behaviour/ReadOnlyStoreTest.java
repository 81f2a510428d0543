package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.Transaction;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.ReadOnlyStoreException;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.Directories;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.Padded;
import io.sifr.testing.TestOperators;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store is opened to be read only, beside the one that writes, or where nobody may write. */
@Tag("disk")
class ReadOnlyStoreTest {
  private static final StoreOptions SMALL = small().build();

  private static final int OPENINGS = 60;
  private static final int WRITES_AN_OPENING = 200;

  /** The calls of who changes nothing. */
  private static final EnumSet<Operation> READING =
      EnumSet.of(
          Operation.REAL_PATH,
          Operation.LIST,
          Operation.EXISTS,
          Operation.SIZE,
          Operation.CLOSE,
          Operation.OPEN_FOR_READ,
          Operation.READ,
          Operation.MAP_FOR_READ);

  @TempDir Path parent;

  private static StoreOptions.Builder small() {
    return StoreOptions.builder()
        .writeBufferBytes(16384)
        .splitUnitBytes(4096)
        .logSegmentBytes(65536)
        .maxLogBytes(1 << 20);
  }

  private Path directory() {
    return parent.resolve("store");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] key(int number) {
    return bytes("key" + Padded.number(number, 6));
  }

  /** When each file was last changed. */
  private Map<String, FileTime> modified() throws IOException {
    Map<String, FileTime> times = new TreeMap<>();
    for (Path file : Directories.files(directory())) {
      times.put(file.toString(), Files.getLastModifiedTime(file));
    }
    return times;
  }

  private static void fill(Database database, int from, int to) {
    for (int i = from; i < to; i++) {
      database.put(key(i), bytes("value-" + i + "-" + "x".repeat(i % 50)));
    }
  }

  private static void assertHolds(Database database, int from, int to) {
    int next = from;
    try (Cursor cursor = database.cursor()) {
      while (cursor.next()) {
        assertThat(cursor.key()).isEqualTo(key(next));
        assertThat(database.get(key(next)))
            .isEqualTo(bytes("value-" + next + "-" + "x".repeat(next % 50)));
        next++;
      }
    }
    assertThat(next).isEqualTo(to);
    assertThat(database.get(key(to))).isNull();
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void whatHasReturnedIsReadFromLogAndSsts(LogAccess access) {
    StoreOptions options = small().logAccess(access).build();
    try (Store writer = Store.open(directory(), options)) {
      fill(writer.database(), 0, 3000);
      Database other = writer.openOrCreateDatabase("other");
      other.put(bytes("a"), bytes("1"));
      try (Store reader = Store.builder(directory()).openReadOnly()) {
        assertThat(reader.isReadOnly()).isTrue();
        assertThat(writer.isReadOnly()).isFalse();
        assertThat(reader.databaseNames()).containsExactly(Store.DEFAULT_DATABASE, "other");
        assertHolds(reader.database(), 0, 3000);
        assertThat(reader.database("other").get(bytes("a"))).isEqualTo(bytes("1"));
        assertThat(reader.lastSequence()).isEqualTo(writer.lastSequence());
      }
    }
  }

  @Test
  void laterWritesAreInARefreshedStoreOnly() {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 1000);
      Store first = Store.builder(directory()).openReadOnly();
      fill(writer.database(), 1000, 2000);
      Store second = first.refreshed();
      writer.database().deleteRange(KeyRange.all());
      writer.database().compact();
      Store third = second.refreshed();
      assertHolds(first.database(), 0, 1000);
      assertHolds(second.database(), 0, 2000);
      assertHolds(third.database(), 0, 0);
      first.close();
      assertHolds(second.database(), 0, 2000);
      second.close();
      fill(writer.database(), 0, 10);
      try (Store fourth = third.refreshed()) {
        third.close();
        assertHolds(fourth.database(), 0, 10);
      }
      assertThatIllegalStateException().isThrownBy(first::refreshed);
      assertThatIllegalStateException()
          .isThrownBy(writer::refreshed)
          .withMessageContaining("was not opened to be read only");
    }
  }

  /** The files it reads are merged and deleted meanwhile. */
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "open files keep their names there")
  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void filesThatTheWriterDeletesStayReadable(ReadMode mode) throws IOException {
    StoreOptions reading = StoreOptions.builder().readMode(mode).blockCacheBytes(0).build();
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 4000);
      writer.flush();
      try (Store reader = Store.builder(directory()).options(reading).openReadOnly()) {
        List<Path> before = Directories.files(directory(), FileKind.SST);
        writer.database().deleteRange(KeyRange.all());
        writer.database().compact();
        Waiting.until("the SSTs are deleted", () -> before.stream().noneMatch(Files::exists));
        Thread.currentThread().interrupt(); // which closes channels
        assertHolds(reader.database(), 0, 4000);
        assertThat(Thread.interrupted()).isTrue();
      }
    }
  }

  @Test
  void everythingThatWritesIsRefused() throws IOException {
    Path file = parent.resolve("entries.sst");
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 10);
      assertThat(writer.openOrCreateDatabase("other")).isNotNull();
      try (SstFileWriter entries = TestStores.writer(writer, file)) {
        entries.put(bytes("a"), bytes("b"));
        assertThat(entries.finish().files()).hasSize(1);
      }
    }
    Map<String, FileTime> before = modified();
    try (Store store = Store.builder(directory()).openReadOnly()) {
      Database database = store.database();
      Transaction transaction = store.beginTransaction();
      transaction.put(database, key(1), bytes("x"));
      Map<String, ThrowingCallable> writes = new LinkedHashMap<>();
      writes.put("put", () -> database.put(key(1), bytes("x")));
      writes.put("put without log", () -> database.put(key(1), bytes("x"), WriteOptions.UNLOGGED));
      writes.put("delete", () -> database.delete(key(1)));
      writes.put("range delete", () -> database.deleteRange(KeyRange.all()));
      writes.put("batch", () -> store.write(new WriteBatch().put(database, key(1), bytes("x"))));
      writes.put("put if absent", () -> database.putIfAbsent(key(77), bytes("x")));
      writes.put("get and put", () -> database.getAndPut(key(1), bytes("x")));
      writes.put("commit", transaction::commit);
      writes.put("flush", store::flush);
      writes.put("sync", store::sync);
      writes.put("compact", database::compact);
      writes.put("compact a range", () -> database.compact(KeyRange.atLeast(key(3))));
      writes.put("create", () -> store.openOrCreateDatabase("third"));
      writes.put("open or create", () -> store.openOrCreateDatabase("third"));
      writes.put("drop", () -> store.dropDatabase("other"));
      writes.put(
          "alter",
          () ->
              store.alterDatabase(
                  "other", DatabaseOptions.builder().expireAfter(Duration.ofDays(1)).build()));
      writes.put("ingest", () -> database.ingest(List.of(file), IngestOptions.DEFAULT));
      writes.put(
          "load",
          () -> {
            try (BulkLoader loader = database.bulkLoader().open()) {
              loader.put(key(1), bytes("x"));
              loader.finish();
            }
          });
      writes.forEach(
          (name, write) ->
              assertThatExceptionOfType(ReadOnlyStoreException.class)
                  .as(name)
                  .isThrownBy(write)
                  .withMessageContaining("read only")
                  .satisfies(e -> assertThat(e.directory()).isEqualTo(store.directory())));
      assertHolds(database, 0, 10);
      assertThat(store.databaseNames()).containsExactly(Store.DEFAULT_DATABASE, "other");
      assertThat(store.openOrCreateDatabase("other").name()).isEqualTo("other");
      store.awaitIdle();
      assertThat(store.statistics().get(Metric.FULL_WRITE_BUFFERS)).isZero();
    }
    assertThat(modified()).isEqualTo(before);
  }

  @Test
  void readsOfAllKindsWork() {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 500);
      try (Store store = Store.builder(directory()).openReadOnly();
          Snapshot snapshot = store.snapshot();
          Transaction transaction = store.beginTransaction()) {
        Database database = store.database();
        assertThat(database.multiGet(List.of(key(3), key(5)))).hasSize(2).doesNotContainNull();
        assertThat(database.get(key(3), ReadOptions.at(snapshot))).isNotNull();
        assertThat(database.getAsync(key(3)).join()).isNotNull();
        assertThat(transaction.get(database, key(3))).isNotNull();
        transaction.commit();
        assertThat(database.count(KeyRange.all())).isEqualTo(500);
        assertThat(store.statistics().get(Metric.DATABASES)).isEqualTo(1);
        assertThat(database.forest()).isNotNull();
      }
    }
  }

  /** A log that is longer than the write buffers it fits into is flushed into memory. */
  @Test
  void logMayBeLongerThanAWriteBuffer() {
    StoreOptions large = StoreOptions.builder().writeBufferBytes(8 << 20).build();
    try (Store writer = Store.open(directory(), large)) {
      fill(writer.database(), 0, 20_000);
      assertThat(writer.statistics().get(Metric.FLUSHES)).isZero();
      try (Store reader = Store.builder(directory()).options(SMALL).openReadOnly()) {
        assertThat(reader.statistics().get(Metric.SSTS)).isPositive();
        assertHolds(reader.database(), 0, 20_000);
      }
    }
  }

  @Test
  void onlyWhatIsUnflushedAndUnloggedIsMissing() {
    try (Store writer = Store.open(directory(), SMALL)) {
      writer.database().put(key(0), bytes("0"), WriteOptions.UNLOGGED);
      writer.flush();
      writer.database().put(key(1), bytes("1"), WriteOptions.UNLOGGED);
      try (Store reader = Store.builder(directory()).openReadOnly()) {
        assertThat(reader.database().get(key(0))).isEqualTo(bytes("0"));
        assertThat(reader.database().get(key(1))).isNull();
      }
    }
  }

  /** Neither files nor locks; what is opened, and what is closed, is the same afterwards. */
  @Test
  void nothingOfTheDirectoryIsChanged() throws IOException {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 2000);
    }
    Map<String, FileTime> before = modified();
    FaultyFileSystem refusing = new FaultyFileSystem(new DiskFileSystem());
    for (Operation operation : EnumSet.complementOf(READING)) {
      refusing.failForGood(operation, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    }
    try (Store first = TestStores.openReadOnly(directory(), SMALL, refusing);
        Store second = TestStores.openReadOnly(directory(), SMALL, refusing)) {
      assertHolds(first.database(), 0, 2000);
      assertHolds(second.database(), 0, 2000);
    }
    assertThat(modified()).isEqualTo(before);
  }

  @Test
  void thereMustBeAStore() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Store.builder(directory()).openReadOnly())
        .withMessageContaining("holds no store");
    assertThat(directory()).doesNotExist();
  }

  @Test
  void missingOperatorIsNamed() {
    try (Store writer =
        Store.builder(directory()).mergeOperator(TestOperators.CHAIN).options(SMALL).open()) {
      for (MergeOperator operator : List.of(TestOperators.CHAIN, MergeOperators.ADD_LONG)) {
        DatabaseOptions options = DatabaseOptions.builder().mergeOperator(operator).build();
        assertThat(writer.createDatabase(operator.name(), options)).isNotNull();
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Store.builder(directory()).openReadOnly())
          .withMessageContaining(TestOperators.CHAIN.name());
      try (Store reader = Store.builder(directory()).allowUnregistered().openReadOnly()) {
        assertThat(reader.databaseNames()).hasSize(3);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"deleted", "shortened"})
  void unusableSstIsNamed(String how) throws IOException {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 4000);
    }
    Path damaged = Directories.files(directory(), FileKind.SST).get(0);
    if (how.equals("deleted")) {
      Files.delete(damaged);
    } else {
      Files.write(damaged, new byte[4096]);
    }
    String name = String.valueOf(damaged.getFileName());
    assertThatExceptionOfType(SifrException.class)
        .isThrownBy(
            () -> {
              try (Store reader = Store.builder(directory()).openReadOnly()) {
                assertHolds(reader.database(), 0, 4000);
              }
            })
        .withMessageContaining(name);
    StoreOptions asItIs = StoreOptions.builder().openIfDamaged(true).build();
    try (Store reader = Store.builder(directory()).options(asItIs).openReadOnly()) {
      assertThatExceptionOfType(SifrException.class)
          .isThrownBy(() -> assertHolds(reader.database(), 0, 4000))
          .withMessageContaining(name);
      assertThat(reader.statistics().get(Metric.UNUSABLE_SSTS)).isOne();
    }
  }

  @Test
  void damagedLogIsNamed() throws IOException {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 5);
      writer.sync();
      fill(writer.database(), 5, 10);
      writer.sync();
      Path copy = parent.resolve("copy");
      Directories.copy(directory(), copy);
      Path log = Directories.files(copy, FileKind.WAL).get(0);
      byte[] content = Files.readAllBytes(log);
      content[FileHeader.BYTES + 30] ^= 1;
      Files.write(log, content);
      assertThatExceptionOfType(CorruptionException.class)
          .isThrownBy(() -> Store.builder(copy).openReadOnly())
          .withMessageContaining(String.valueOf(log.getFileName()));
    }
  }

  /** Each call to the disk fails once: nothing stays open, and a second attempt succeeds. */
  @Test
  void callsThatFailLeaveNothingOpen() {
    try (Store writer = Store.open(directory(), SMALL)) {
      fill(writer.database(), 0, 2000);
      for (Operation operation : Operation.values()) {
        boolean failed = true;
        for (int nth = 1; failed; nth++) {
          FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
          LeakCountingFileSystem counting = new LeakCountingFileSystem(faulty);
          faulty.failForGood(operation, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
          failed = false;
          try (Store reader = TestStores.openReadOnly(directory(), SMALL, counting)) {
            faulty.heal();
            assertHolds(reader.database(), 0, 2000);
          } catch (SifrException e) {
            failed = true;
          }
          counting.assertNothingOpen();
        }
      }
    }
  }

  /**
   * A writer puts pairs of entries as fast as it can, into two databases, flushed and merged all
   * the time; whoever opens it sees all pairs up to one, and that one is not older than the last
   * that had returned.
   */
  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void eachOpeningIsOneMomentOfABusyWriter(LogAccess access) throws Exception {
    StoreOptions options = small().logAccess(access).build();
    AtomicInteger returned = new AtomicInteger(-1);
    AtomicInteger openings = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Store writer = Store.open(directory(), options)) {
      Database left = writer.openOrCreateDatabase("left");
      Database right = writer.openOrCreateDatabase("right");
      List<Integer> seen = new ArrayList<>();
      Thread writing =
          new Thread(
              () -> {
                try {
                  for (int i = 0; openings.get() < OPENINGS; i++) {
                    while (i > WRITES_AN_OPENING * (1 + openings.get())) {
                      Thread.onSpinWait(); // else there is ever more to open
                    }
                    Durability durability = i % 16 == 0 ? Durability.SYNC : Durability.BUFFERED;
                    writer.write(
                        new WriteBatch()
                            .put(left, key(i), bytes("x".repeat(i % 100)))
                            .put(right, key(i), bytes("y")),
                        WriteOptions.of(durability));
                    returned.set(i);
                  }
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                }
              });
      writing.start();
      Store reader = Store.builder(directory()).openReadOnly();
      while (openings.get() < OPENINGS && failure.get() == null) {
        int atLeast = returned.get();
        Store next =
            seen.size() % 2 == 0 ? reader.refreshed() : Store.builder(directory()).openReadOnly();
        reader.close();
        reader = next;
        long count = reader.database("left").count(KeyRange.all());
        assertThat(reader.database("right").count(KeyRange.all())).isEqualTo(count);
        assertThat(count).isGreaterThanOrEqualTo(atLeast + 1);
        if (count > 0) {
          assertThat(reader.database("left").get(key((int) count - 1))).isNotNull();
          assertThat(reader.database("right").get(key((int) count - 1))).isNotNull();
        }
        seen.add((int) count);
        openings.incrementAndGet();
      }
      reader.close();
      writing.join();
      assertThat(failure.get()).isNull();
      assertThat(seen).isSorted();
    }
  }
}
