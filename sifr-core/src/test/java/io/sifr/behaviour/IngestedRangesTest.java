package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sifr.Changes;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.TransactionOptions;
import io.sifr.WriteBatch;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.StoreOptions;
import io.sifr.error.ConflictException;
import io.sifr.event.Change;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.testing.Futures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that delete ranges of keys of the stores to which they are added. */
class IngestedRangesTest {
  private static final StoreOptions OPTIONS = SmallStores.options().build();
  private static final int KEYS = 400;

  @TempDir Path directory;

  private Path storeDirectory() {
    return directory.resolve("store");
  }

  private Store open() {
    return SmallStores.open(storeDirectory());
  }

  private static KeyRange range(int from, int to) {
    return KeyRange.between(key(from), key(to));
  }

  private List<Path> write(String name, Consumer<SstFileWriter> content) {
    return result(name, content).files();
  }

  private SstFileWriter.Result result(String name, Consumer<SstFileWriter> content) {
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve(name), OPTIONS)) {
      content.accept(writer);
      return writer.finish();
    }
  }

  /** Deletes 100 to 300, and says of every tenth key in it, and of 350, what it is. */
  private static void mixed(SstFileWriter writer) {
    writer.deleteRange(range(100, 300));
    for (int i = 100; i < 300; i += 10) {
      writer.put(key(i), value(i, 2));
    }
    writer.put(key(350), value(350, 2));
  }

  private static Map<String, String> afterMixed() {
    Map<String, String> content = new TreeMap<>(SmallStores.filled(0, 100, 1));
    content.putAll(SmallStores.filled(300, KEYS, 1));
    for (int i = 100; i < 300; i += 10) {
      content.putAll(SmallStores.filled(i, i + 1, 2));
    }
    content.putAll(SmallStores.filled(350, 351, 2));
    return content;
  }

  /** However it is read. */
  private static void assertHolds(Database database, Map<String, String> content) {
    assertThat(SmallStores.content(database)).isEqualTo(content);
    Map<String, String> backwards = new TreeMap<>();
    try (Cursor cursor = database.cursor()) {
      while (cursor.previous()) {
        backwards.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
      }
    }
    assertThat(backwards).isEqualTo(content);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(key(i));
    }
    List<byte[]> values = database.multiGet(keys);
    for (int i = 0; i < KEYS; i++) {
      String expected = content.get(SmallStores.text(key(i)));
      assertThat(SmallStores.text(database.get(key(i)))).isEqualTo(expected);
      assertThat(SmallStores.text(values.get(i))).isEqualTo(expected);
      assertThat(database.contains(key(i))).isEqualTo(expected != null);
      assertThat(SmallStores.text(Futures.await(database.getAsync(key(i))))).isEqualTo(expected);
    }
    assertThat(database.count(KeyRange.all())).isEqualTo(content.size());
  }

  private void assertSound() {
    assertThat(StoreCheck.run(storeDirectory(), CheckProgress.NONE).findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"in memory", "flushed", "compacted"})
  void theyHideWhatWasThereBeforeAndNothingOfTheirFile(String what) {
    List<Path> files = write("a.sst", IngestedRangesTest::mixed);
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      if (what.equals("flushed")) {
        store.flush();
      } else if (what.equals("compacted")) {
        database.compact();
      }
      store.pauseCompactions();
      database.ingest(files, IngestOptions.DEFAULT);
      assertHolds(database, afterMixed());
      assertHolds(store.openOrCreateDatabase("other"), Map.of());
    }
    assertSound();
    try (Store store = open()) {
      assertHolds(store.database(), afterMixed());
      store.database().compact();
      assertHolds(store.database(), afterMixed());
    }
    assertSound();
  }

  @Test
  void whatIsWrittenLaterIsNewer() {
    List<Path> files = write("a.sst", writer -> writer.deleteRange(KeyRange.all()));
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      database.ingest(files, IngestOptions.DEFAULT);
      assertHolds(database, Map.of());
      SmallStores.fill(database, 10, 20, 2);
      assertHolds(database, SmallStores.filled(10, 20, 2));
      database.compact();
      assertHolds(database, SmallStores.filled(10, 20, 2));
    }
  }

  @Test
  void olderSnapshotsSeeNothingOfThem() {
    List<Path> files = write("a.sst", IngestedRangesTest::mixed);
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      try (Snapshot before = store.snapshot()) {
        database.ingest(files, IngestOptions.DEFAULT);
        try (Snapshot after = store.snapshot()) {
          database.deleteRange(KeyRange.all());
          database.compact();
          for (Map.Entry<Snapshot, Map<String, String>> each :
              Map.of(before, SmallStores.filled(0, KEYS, 1), after, afterMixed()).entrySet()) {
            ReadOptions options = ReadOptions.at(each.getKey());
            try (Cursor cursor = database.cursor(KeyRange.all(), options)) {
              assertThat(SmallStores.rest(cursor)).isEqualTo(each.getValue());
            }
            assertThat(SmallStores.text(database.get(key(111), options)))
                .isEqualTo(each.getValue().get("key000111"));
            assertThat(SmallStores.text(database.get(key(110), options)))
                .isEqualTo(each.getValue().get("key000110"));
          }
        }
      }
      assertHolds(database, Map.of());
    }
  }

  @Test
  void theirSpaceComesBack() {
    List<Path> files = write("a.sst", writer -> writer.deleteRange(range(10, KEYS)));
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, KEYS, 1);
      database.compact();
      long before = database.forest().bytes();
      database.ingest(files, IngestOptions.DEFAULT);
      database.compact();
      assertThat(database.forest().bytes()).isLessThan(before / 4);
      assertHolds(database, SmallStores.filled(0, 10, 1));
    }
  }

  /** A range that goes on through many files is cut at their borders. */
  @Test
  void filesAreCutAsEver() {
    int many = 3000;
    SstFileWriter.Result result =
        result(
            "a.sst",
            writer -> {
              for (int i = 0; i < many; i += 2) {
                if (i == 400 || i == 410) {
                  writer.deleteRange(range(i, 2200));
                  writer.deleteRange(range(i, i + 5));
                }
                writer.put(key(i), value(i, 2));
              }
            });
    assertThat(result.files().size()).isGreaterThan(8);
    assertThat(result.entries()).isEqualTo(many / 2);
    assertThat(result.firstKey()).isEqualTo(key(0));
    assertThat(result.lastKey()).isEqualTo(key(many - 2));
    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < many; i++) {
      boolean isNew = i % 2 == 0;
      if (isNew || i < 400 || i >= 2200) {
        expected.putAll(SmallStores.filled(i, i + 1, isNew ? 2 : 1));
      }
    }
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, many, 1);
      store.pauseCompactions();
      store.database().ingest(result.files(), IngestOptions.DEFAULT);
      assertHolds(store.database(), expected);
      store.resumeCompactions();
      store.database().compact();
      assertHolds(store.database(), expected);
    }
    assertSound();
  }

  /** Files of ranges alone are cut, too, and those that overlap take no space. */
  @Test
  void rangesAloneAreEnough() {
    SstFileWriter.Result many =
        result(
            "a.sst",
            writer -> {
              for (int i = 0; i < KEYS; i += 2) {
                writer.deleteRange(range(i, i + 1));
              }
            });
    assertThat(many.entries()).isZero();
    assertThat(many.files().size()).isGreaterThan(1);
    SstFileWriter.Result one =
        result(
            "b.sst",
            writer -> {
              for (int i = 0; i < 5000; i++) {
                writer.deleteRange(range(10, 50));
              }
              writer.deleteRange(KeyRange.between(key(60), key(60)));
            });
    assertThat(one.files()).hasSize(1);
    assertThat(one.firstKey()).isEqualTo(key(10));
    assertThat(one.lastKey()).isEqualTo(key(50));
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, KEYS, 1);
      store.database().ingest(many.files(), IngestOptions.DEFAULT);
      Map<String, String> odd = new TreeMap<>();
      for (int i = 1; i < KEYS; i += 2) {
        odd.putAll(SmallStores.filled(i, i + 1, 1));
      }
      assertHolds(store.database(), odd);
      store.database().ingest(one.files(), IngestOptions.DEFAULT);
      for (int i = 10; i < 50; i++) {
        odd.remove(SmallStores.text(key(i)));
      }
      assertHolds(store.database(), odd);
    }
    assertSound();
  }

  /** After a cut there may be nothing but a range that begins later. */
  @Test
  void aRangeThatIsLargerThanAFileIsCut() {
    byte[] end = new byte[5000];
    Arrays.fill(end, (byte) 'z');
    byte[] large = new byte[5000];
    StoreOptions small = SmallStores.options().splitUnitBytes(4096).build();
    SstFileWriter.Result result;
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve("a.sst"), small)) {
      writer.deleteRange(KeyRange.between(bytes("a"), end));
      writer.put(bytes("b"), large);
      writer.deleteRange(KeyRange.between(bytes("c"), bytes("d")));
      result = writer.finish();
    }
    assertThat(result.entries()).isEqualTo(1);
    assertThat(result.firstKey()).isEqualTo(bytes("a"));
    assertThat(result.lastKey()).isEqualTo(end);
    try (Store store = open()) {
      Database database = store.database();
      byte[] after = Arrays.copyOf(end, end.length + 1);
      for (String key : List.of("A", "a", "b", "c", "e")) {
        database.put(bytes(key), bytes("before"));
      }
      database.put(after, bytes("before"));
      database.ingest(result.files(), IngestOptions.DEFAULT);
      database.compact();
      assertThat(database.get(bytes("A"))).isEqualTo(bytes("before"));
      assertThat(database.get(bytes("b"))).isEqualTo(large);
      assertThat(database.get(after)).isEqualTo(bytes("before"));
      assertThat(database.count(KeyRange.all())).isEqualTo(3);
    }
    assertSound();
  }

  @Test
  void aRangeComesBeforeItsKeys() {
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve("a.sst"), OPTIONS)) {
      KeyRange none = SmallStores.nothing();
      assertThatIllegalArgumentException().isThrownBy(() -> writer.deleteRange(none));
      writer.deleteRange(range(9, 5)); // holds no key
      assertThatIllegalStateException().isThrownBy(writer::finish);
      writer.deleteRange(range(3, 9));
      writer.put(key(3), value(3, 2));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.deleteRange(range(3, 5)))
          .withMessageContaining("begins with \"key000003\" comes after \"key000003\"");
      assertThatIllegalArgumentException().isThrownBy(() -> writer.deleteRange(KeyRange.all()));
      writer.deleteRange(range(4, 20));
      assertThatIllegalArgumentException().isThrownBy(() -> writer.put(key(3), value(3, 3)));
      assertThatIllegalArgumentException().isThrownBy(() -> writer.deleteRange(range(3, 30)));
      byte[] tooLong = new byte[65537];
      tooLong[0] = 'z';
      assertThatIllegalArgumentException()
          .isThrownBy(() -> writer.deleteRange(KeyRange.atLeast(tooLong)));
      writer.put(key(5), value(5, 2));
      SstFileWriter.Result result = writer.finish();
      assertThat(result.entries()).isEqualTo(2);
      try (Store store = open()) {
        SmallStores.fill(store.database(), 0, 25, 1);
        store.database().ingest(result.files(), IngestOptions.DEFAULT);
        Map<String, String> expected = new TreeMap<>(SmallStores.filled(0, 3, 1));
        expected.putAll(SmallStores.filled(20, 25, 1));
        expected.putAll(SmallStores.filled(3, 4, 2));
        expected.putAll(SmallStores.filled(5, 6, 2));
        assertHolds(store.database(), expected);
      }
    }
  }

  @Test
  void filesWhoseRangesOverlapOthersAreRefused() {
    List<Path> files = new ArrayList<>(write("a.sst", writer -> writer.deleteRange(range(1, 9))));
    files.addAll(write("b.sst", writer -> writer.put(key(5), value(5, 2))));
    List<Path> adjacent = new ArrayList<>(files.subList(0, 1));
    adjacent.addAll(write("c.sst", writer -> writer.deleteRange(range(9, 12))));
    List<Path> apart = new ArrayList<>(files.subList(0, 1));
    apart.addAll(write("d.sst", writer -> writer.deleteRange(range(10, 12))));
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 20, 1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
          .withMessageContaining("overlap");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.database().ingest(adjacent, IngestOptions.DEFAULT))
          .withMessageContaining("ends with the key after the range");
      assertHolds(store.database(), SmallStores.filled(0, 20, 1));
      store.database().ingest(apart, IngestOptions.DEFAULT);
      assertThat(SmallStores.content(store.database()))
          .containsOnlyKeys(
              "key000000",
              "key000009",
              "key000012",
              "key000013",
              "key000014",
              "key000015",
              "key000016",
              "key000017",
              "key000018",
              "key000019");
    }
  }

  /** Even if its sequence numbers are those of a file that was written for it. */
  @Test
  void filesOfAStoreAreRefused() {
    try (Store other = SmallStores.open(directory.resolve("other"));
        Snapshot before = other.snapshot()) {
      other.database().deleteRange(range(1, 2)); // which the flush keeps, for the snapshot
      other.database().put(key(1), value(1, 1));
      other.flush();
      assertThat(other.lastSequence()).isEqualTo(2);
      assertThat(other.statistics().get(Metric.RANGE_TOMBSTONES)).isPositive();
      assertThat(other.database().get(key(1), ReadOptions.at(before))).isNull();
    }
    List<Path> files = SmallStores.files(directory.resolve("other"), ".sst");
    assertThat(files).isNotEmpty();
    try (Store store = open()) {
      for (Path file : files) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> store.database().ingest(List.of(file), IngestOptions.DEFAULT))
            .withMessageContaining("was written by a store");
      }
    }
  }

  @Test
  void writesThatDependOnTheirKeysAreRefused() {
    List<Path> files = write("a.sst", writer -> writer.deleteRange(range(10, 20)));
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, 30, 1);
      try (Snapshot before = store.snapshot();
          Transaction reading = store.beginTransaction(TransactionOptions.SERIALIZABLE);
          Transaction writing = store.beginTransaction();
          Transaction elsewhere = store.beginTransaction(TransactionOptions.SERIALIZABLE)) {
        assertThat(reading.get(database, key(15))).isEqualTo(value(15, 1));
        reading.put(database, key(25), value(25, 2));
        writing.put(database, key(16), value(16, 2));
        assertThat(elsewhere.get(database, key(21))).isEqualTo(value(21, 1));
        elsewhere.put(database, key(22), value(22, 2));
        database.ingest(files, IngestOptions.DEFAULT);
        assertThat(reading.get(database, key(15))).isEqualTo(value(15, 1));
        assertThatExceptionOfType(ConflictException.class).isThrownBy(reading::commit);
        assertThatExceptionOfType(ConflictException.class).isThrownBy(writing::commit);
        elsewhere.commit();
        for (int key : new int[] {12, 19}) {
          WriteBatch batch = new WriteBatch().requireUnchanged(database, key(key), before);
          assertThatExceptionOfType(ConflictException.class)
              .isThrownBy(() -> store.write(batch.put(database, key(1), value(1, 2))));
        }
        store.write(
            new WriteBatch()
                .requireUnchanged(database, key(20), before)
                .put(database, key(1), value(1, 2)));
      }
      assertThat(database.get(key(1))).isEqualTo(value(1, 2));
      assertThat(database.putIfAbsent(key(15), value(15, 3))).isNull();
    }
  }

  @Test
  void databasesWithPrefixFiltersDoNotOverlookThem() {
    DatabaseOptions options = DatabaseOptions.builder().filterPrefix(KeyPrefix.ofLength(5)).build();
    List<Path> files =
        write("a.sst", writer -> writer.deleteRange(KeyRange.between(bytes("a"), bytes("userx"))));
    try (Store store = open()) {
      Database database = store.createDatabase("prefixes", options);
      database.put(bytes("user1/a"), bytes("a"));
      database.put(bytes("userx/b"), bytes("b"));
      store.flush();
      store.pauseCompactions();
      database.ingest(files, IngestOptions.DEFAULT);
      try (Cursor cursor = database.cursor(KeyRange.prefix(bytes("user1")))) {
        assertThat(cursor.next()).isFalse();
      }
      try (Cursor cursor = database.cursor(KeyRange.prefix(bytes("userx")))) {
        assertThat(cursor.next()).isTrue();
      }
    }
  }

  /** They have a number before that of the entries, and both become visible at once. */
  @Test
  void changesShowTheIngestOnce() {
    StoreOptions options = SmallStores.options().retainedLogBytes(1 << 20).build();
    List<Path> files = write("a.sst", IngestedRangesTest::mixed);
    List<Path> plain = write("b.sst", writer -> writer.put(key(1), value(1, 3)));
    try (Store store = SmallStores.open(storeDirectory(), options)) {
      Database database = store.database();
      Database other = store.openOrCreateDatabase("other");
      database.put(key(0), value(0, 1));
      long before = store.lastSequence();
      store.ingest(Map.of(database, files, other, plain), IngestOptions.DEFAULT);
      assertThat(store.lastSequence()).isEqualTo(before + 2);
      database.put(key(0), value(0, 2));
      database.ingest(plain, IngestOptions.DEFAULT);
      assertThat(store.lastSequence()).isEqualTo(before + 4);
    }
    try (Store store = SmallStores.open(storeDirectory(), options);
        Changes changes = store.changes(store.oldestChange())) {
      List<Long> ingests = new ArrayList<>();
      long writes = 0;
      for (Change change = changes.next(); change != null; change = changes.next()) {
        if (change instanceof Change.Ingested ingested) {
          ingests.add(ingested.firstSequence());
          if (ingests.size() == 1) {
            assertThat(ingested.ranges()).hasSize(2);
          }
        } else {
          writes++;
        }
      }
      assertThat(ingests).hasSize(2);
      assertThat(ingests.get(1)).isEqualTo(Objects.requireNonNull(ingests.get(0)) + 3);
      assertThat(writes).isGreaterThanOrEqualTo(2);
    }
  }
}
