package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import io.sifr.inspect.salvage.LostPiece;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.inspect.salvage.SalvageReport;
import io.sifr.testing.Waiting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies, tools and readers of a store whose values are apart from their keys. */
class ValueFilesAreKnownEverywhereTest {
  private static final int KEYS = 10;
  private static final int VALUE_BYTES = 40_000;

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private static Store open(Path directory) {
    return Store.open(directory, StoreOptions.builder().keptLogBytes(0).build());
  }

  private static byte[] key(int number) {
    return String.format("key %06d", number).getBytes(UTF_8);
  }

  private static byte[] value(int seed) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(seed).nextBytes(value);
    return value;
  }

  private static void write(Database database, int seed) {
    for (int i = 0; i < KEYS; i++) {
      database.put(key(i), value(seed + i));
    }
  }

  private static void requireWritten(Path store, int seed) {
    try (Store opened = open(store)) {
      requireWritten(opened, seed);
    }
    assertThat(StoreCheck.run(store, CheckProgress.NONE).findings()).isEmpty();
  }

  private static void requireWritten(Store store, int seed) {
    for (int i = 0; i < KEYS; i++) {
      assertThat(store.database("apart").get(key(i))).isEqualTo(value(seed + i));
    }
  }

  private static Database create(Store store) {
    return store.createDatabase(
        "apart", DatabaseOptions.builder().separateValuesFrom(1000).build());
  }

  private static List<Path> files(Path in, String ending) {
    try (Stream<Path> all = Files.list(in)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> valueFiles() {
    return files(directory, ".values");
  }

  @Test
  void aCheckpointHoldsThem() {
    Path copy = parent.resolve("copy");
    try (Store store = open(directory)) {
      Database database = create(store);
      write(database, 1);
      store.flush();
      store.checkpoint(copy);
      write(database, 100);
      database.compact();
    }
    requireWritten(copy, 1);
    requireWritten(directory, 100);
  }

  @Test
  void aBackupHoldsEachOnce() {
    Path backup = parent.resolve("backup");
    Backups backups = Backups.in(backup);
    try (Store store = open(directory)) {
      Database database = create(store);
      write(database, 1);
      store.flush();
      backups.create(store);
      List<Path> first = files(backup.resolve("ssts"), ".values");
      assertThat(first).hasSize(1);
      database.put(key(KEYS), value(50));
      store.flush();
      Backups.Point second = backups.create(store);
      assertThat(second.copiedBytes()).isBetween((long) VALUE_BYTES, 2L * VALUE_BYTES);
      assertThat(files(backup.resolve("ssts"), ".values")).hasSize(2).containsAll(first);
      write(database, 100);
      database.compact();
      backups.create(store);
    }
    for (long point = 1; point <= 3; point++) {
      backups.verify(point, Backups.Progress.NONE);
      Path restored = parent.resolve("restored" + point);
      backups.restore(point, restored);
      requireWritten(restored, point == 3 ? 100 : 1);
    }
    backups.delete(1);
    backups.delete(3);
    Path again = parent.resolve("again");
    backups.restore(2, again);
    requireWritten(again, 1);
  }

  @Test
  void aBackupWithoutOneIsFound() throws IOException {
    Path backup = parent.resolve("backup");
    Backups backups = Backups.in(backup);
    try (Store store = open(directory)) {
      write(create(store), 1);
      store.flush();
      backups.create(store);
    }
    Path file = files(backup.resolve("ssts"), ".values").get(0);
    byte[] content = Files.readAllBytes(file);
    content[content.length / 2] ^= 4;
    Files.write(file, content);
    assertThatThrownBy(() -> backups.verify(1, Backups.Progress.NONE))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(file.getFileName().toString());
    Files.delete(file);
    assertThatThrownBy(() -> backups.restore(1, parent.resolve("restored")))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("is missing");
  }

  @Test
  void aReaderOfOneMomentKeepsWhatItsWriterDeletes() {
    try (Store store = open(directory)) {
      Database database = create(store);
      write(database, 1);
      store.flush();
      try (Store reader = Store.builder(directory).openReadOnly()) {
        requireWritten(reader, 1);
        write(database, 100);
        database.compact();
        assertThat(valueFiles()).hasSize(1);
        requireWritten(reader, 1);
      }
      try (Store reader = Store.builder(directory).openReadOnly()) {
        requireWritten(reader, 100);
      }
    }
  }

  @Test
  void theCheckNamesEachDamagedValue() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Path file = valueFiles().get(0);
    byte[] content = Files.readAllBytes(file);
    int bytes = (content.length - 32) / KEYS;
    for (int i : List.of(2, 7)) {
      content[32 + i * bytes + bytes / 2] ^= 8;
    }
    Files.write(file, content);
    List<Finding> findings = StoreCheck.run(directory, CheckProgress.NONE).findings();
    assertThat(findings).hasSize(2);
    assertThat(findings.get(0).toString()).contains(file.getFileName().toString(), "key 000002");
    assertThat(findings.get(1).toString()).contains(file.getFileName().toString(), "key 000007");
    Files.delete(file);
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .hasSize(1)
        .allSatisfy(each -> assertThat(each.what()).contains("the file is missing"));
  }

  @Test
  void anOrphanIsFoundAndDeletedByTheNextOpening() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Path orphan = directory.resolve("000000000999.values");
    Files.copy(valueFiles().get(0), orphan);
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .hasSize(1)
        .allSatisfy(
            each -> assertThat(each.what()).startsWith("nothing refers to this value file"));
    requireWritten(directory, 1);
    assertThat(orphan).doesNotExist();
  }

  @Test
  void aSalvageLosesADamagedValueAlone() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Path file = valueFiles().get(0);
    byte[] content = Files.readAllBytes(file);
    int bytes = (content.length - 32) / KEYS;
    content[32 + 4 * bytes + bytes / 2] ^= 8;
    Files.write(file, content);
    Path target = parent.resolve("salvaged");
    SalvageReport report = Salvage.run(directory, target, CheckProgress.NONE);
    assertThat(report.lost()).hasSize(1);
    LostPiece lost = report.lost().get(0);
    assertThat(lost.firstKey()).isEqualTo(key(4));
    assertThat(lost.lastKey()).isEqualTo(key(4));
    assertThat(lost.database()).isEqualTo("apart");
    assertThat(lost.finding().file().getFileName()).isEqualTo(file.getFileName());
    try (Store store = open(target)) {
      Database database = store.database("apart");
      assertThat(database.options().separateValuesFrom()).isEqualTo(1000);
      for (int i = 0; i < KEYS; i++) {
        assertThat(database.get(key(i))).isEqualTo(i == 4 ? null : value(1 + i));
      }
    }
    assertThat(files(target, ".values")).hasSize(1);
    assertThat(StoreCheck.run(target, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void aSalvageTakesValuesOfLostEntriesFromTheirFiles() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Files.delete(files(directory, ".sst").get(0));
    Path target = parent.resolve("salvaged");
    SalvageReport report = Salvage.run(directory, target, CheckProgress.NONE);
    assertThat(report.lost()).hasSize(1);
    requireWritten(target, 1);
  }

  /** Their sequence numbers are not in the files, as puts have written them before the log. */
  @Test
  void aSalvageTakesTheLastOfSeveralValuesOfAKey() throws IOException {
    int large = 300_000;
    Duration hour = Duration.ofHours(1);
    try (Store store = open(directory)) {
      Database database = create(store);
      for (int i = 0; i < 5; i++) {
        database.put(key(1), large(i, large - i));
      }
      database.put(key(2), large(10, large), WriteOptions.expiringAfter(hour));
      database.put(key(2), large(11, large));
      database.put(key(3), large(12, large));
      database.put(key(3), large(13, large), WriteOptions.expiringAfter(hour));
      // In a file of its own, which is a later one.
      database.put(
          key(4), 5 << 20, new ByteArrayInputStream(large(20, 5 << 20)), WriteOptions.DEFAULT);
      database.put(
          key(4), 5 << 20, new ByteArrayInputStream(large(21, 5 << 20)), WriteOptions.DEFAULT);
      database.put(key(9), large(9, large));
    }
    for (Path sst : files(directory, ".sst")) {
      Files.delete(sst);
    }
    Path target = parent.resolve("salvaged");
    var unused = Salvage.run(directory, target, CheckProgress.NONE);
    try (Store store = open(target)) {
      Database database = store.database("apart");
      assertThat(database.get(key(1))).isEqualTo(large(4, large - 4));
      assertThat(database.get(key(2))).isEqualTo(large(11, large));
      assertThat(database.get(key(3))).isEqualTo(large(13, large));
      assertThat(database.get(key(4))).isEqualTo(large(21, 5 << 20));
      assertThat(database.get(key(9))).isEqualTo(large(9, large));
    }
  }

  private static byte[] large(int seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    return value;
  }

  @Test
  void aSalvageFindsValuesAfterADamagedHead() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Files.delete(files(directory, ".sst").get(0));
    Path file = valueFiles().get(0);
    byte[] content = Files.readAllBytes(file);
    int bytes = (content.length - 32) / KEYS;
    content[32 + 4 * bytes + 30] ^= 8; // lengths of the fifth value
    Files.write(file, content);
    Path target = parent.resolve("salvaged");
    SalvageReport report = Salvage.run(directory, target, CheckProgress.NONE);
    assertThat(report.notes().toString()).contains("offset " + (32 + 4 * bytes));
    try (Store store = open(target)) {
      for (int i = 0; i < KEYS; i++) {
        assertThat(store.database("apart").get(key(i))).isEqualTo(i == 4 ? null : value(1 + i));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aDumpShowsThem(Compression compression) {
    try (Store store = open(directory)) {
      create(store);
      store.alterDatabase(
          "apart",
          DatabaseOptions.builder().separateValuesFrom(10).compression(compression).build());
      store.database("apart").put(key(1), new byte[VALUE_BYTES]);
    }
    List<DumpedRecord> records = new ArrayList<>();
    FileDump.dump(valueFiles().get(0), records::add);
    assertThat(records).hasSize(2);
    assertThat(records.get(0).fields()).containsEntry("file", "values");
    assertThat(records.get(1).kind()).isEqualTo("value");
    assertThat(records.get(1).fields())
        .containsEntry("kind", "put")
        .containsEntry("key", key(1))
        .containsEntry("valueBytes", (long) VALUE_BYTES);
    Object storedBytes = records.get(1).fields().get("storedBytes");
    List<DumpedRecord> entries = new ArrayList<>();
    FileDump.dump(files(directory, ".sst").get(0), entries::add);
    assertThat(entries)
        .anySatisfy(
            each ->
                assertThat(each.fields())
                    .containsEntry("valueBytes", (long) VALUE_BYTES)
                    .containsEntry("storedBytes", storedBytes));
    assertThat((Long) storedBytes)
        .isLessThanOrEqualTo(compression == Compression.NONE ? VALUE_BYTES : VALUE_BYTES / 10);
  }

  @Test
  void sstsThatReferToValuesAreNotIngested() {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Path sst = files(directory, ".sst").get(0);
    try (Store other = open(parent.resolve("other"))) {
      assertThatThrownBy(() -> other.database().ingest(List.of(sst), IngestOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("was written by a store");
      assertThat(other.database().estimate(KeyRange.all()).entries()).isZero();
    }
  }

  @Test
  void aDestroyedStoreLeavesNone() {
    try (Store store = open(directory)) {
      write(create(store), 1);
    }
    Store.destroy(directory);
    assertThat(directory).doesNotExist();
    assertThat(Arrays.asList(parent.toFile().list())).isEmpty();
  }

  @Test
  void aDamagedValueIsFoundInTheBackground() throws IOException {
    try (Store store = open(directory)) {
      write(create(store), 1);
      store.flush();
    }
    Path file = valueFiles().get(0);
    byte[] content = Files.readAllBytes(file);
    content[content.length / 2] ^= 1;
    Files.write(file, content);
    Queue<Throwable> told = new ConcurrentLinkedQueue<>();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            told.add(event.cause());
          }
        };
    StoreOptions options = StoreOptions.builder().checkBytesPerSecond(1L << 40).build();
    try (Store store = Store.builder(directory).options(options).listener(listener).open()) {
      Waiting.until("the damage is told", () -> !told.isEmpty());
      assertThat(told).hasSize(1);
      assertThat(told.element())
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("the value of key \"key 00000");
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
    }
  }
}
