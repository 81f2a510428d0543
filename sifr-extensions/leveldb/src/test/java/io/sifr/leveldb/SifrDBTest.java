package io.sifr.leveldb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Store;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.Range;
import org.iq80.leveldb.ReadOptions;
import org.iq80.leveldb.Snapshot;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All that LevelDB's interface has. */
class SifrDBTest {
  @TempDir Path parent;

  private File directory() {
    return parent.resolve("db").toFile();
  }

  private DB open() throws IOException {
    return open(new Options());
  }

  private DB open(Options options) throws IOException {
    return SifrDBFactory.INSTANCE.open(directory(), options);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static void fill(DB db, String... keys) {
    for (String key : keys) {
      db.put(bytes(key), bytes("of " + key));
    }
  }

  private static List<String> keys(DB db) {
    List<String> keys = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> entry : db) {
      assertThat(text(entry.getValue())).isEqualTo("of " + text(entry.getKey()));
      keys.add(text(entry.getKey()));
    }
    return keys;
  }

  private static byte[] large(int seed) {
    byte[] value = new byte[3_000_000];
    new Random(seed).nextBytes(value);
    return value;
  }

  @Test
  void largeValuesAreApartFromTheirKeys() throws IOException {
    try (DB db = open()) {
      for (int i = 0; i < 5; i++) {
        db.put(bytes("key" + i), large(i));
      }
      db.compactRange(null, null);
      Snapshot before = db.getSnapshot();
      db.put(bytes("key3"), large(7));
      assertThat(db.get(bytes("key3"), new ReadOptions().snapshot(before))).isEqualTo(large(3));
      before.close();
    }
    try (Stream<Path> files = Files.list(directory().toPath())) {
      assertThat(files).anyMatch(file -> file.toString().endsWith(".values"));
    }
    try (DB db = open();
        DBIterator all = db.iterator()) {
      for (int i = 0; i < 5; i++) {
        Map.Entry<byte[], byte[]> next = all.next();
        assertThat(text(next.getKey())).isEqualTo("key" + i);
        assertThat(next.getValue()).isEqualTo(large(i == 3 ? 7 : i));
      }
      assertThat(all.hasNext()).isFalse();
    }
  }

  @Test
  void whatIsPutIsThereWhenItIsOpenedAgain() throws IOException {
    try (DB db = open()) {
      fill(db, "Tampa", "London", "New York");
      db.delete(bytes("London"));
      db.delete(bytes("Nowhere"));
      assertThat(db.get(bytes("London"))).isNull();
    }
    try (DB db = open(new Options().createIfMissing(false))) {
      assertThat(keys(db)).containsExactly("New York", "Tampa");
    }
  }

  @Test
  void batchesAreWrittenTogether() throws IOException {
    try (DB db = open();
        WriteBatch batch = db.createWriteBatch()) {
      fill(db, "a");
      assertThat(batch.delete(bytes("a")).put(bytes("b"), bytes("of b"))).isSameAs(batch);
      assertThat(keys(db)).containsExactly("a");
      db.write(batch);
      assertThat(keys(db)).containsExactly("b");
      assertThat(db.write(batch, new WriteOptions().sync(true))).isNull();
    }
  }

  @Test
  void snapshotsStayAsTheyWere() throws IOException {
    try (DB db = open()) {
      fill(db, "a");
      Snapshot before = db.getSnapshot();
      Snapshot after = db.put(bytes("b"), bytes("of b"), new WriteOptions().snapshot(true));
      Snapshot deleted = db.delete(bytes("a"), new WriteOptions().snapshot(true));
      Snapshot batch = db.write(db.createWriteBatch(), new WriteOptions().snapshot(true));
      assertThat(db.get(bytes("b"), new ReadOptions().snapshot(before))).isNull();
      assertThat(db.get(bytes("b"), new ReadOptions().snapshot(after))).isEqualTo(bytes("of b"));
      assertThat(db.get(bytes("a"), new ReadOptions().snapshot(after))).isNotNull();
      assertThat(db.get(bytes("a"), new ReadOptions().snapshot(deleted))).isNull();
      assertThat(db.get(bytes("b"), new ReadOptions().snapshot(batch))).isNotNull();
      try (DBIterator iterator = db.iterator(new ReadOptions().snapshot(before))) {
        assertThat(text(iterator.next().getKey())).isEqualTo("a");
        assertThat(iterator.hasNext()).isFalse();
      }
      for (Snapshot each : List.of(before, after, deleted, batch)) {
        each.close();
      }
    }
  }

  /** The loops that programs have. */
  @Test
  void iteratorsGoBothWays() throws IOException {
    try (DB db = open()) {
      fill(db, "a", "c", "e");
      try (DBIterator iterator = db.iterator()) {
        List<String> seen = new ArrayList<>();
        for (iterator.seekToFirst(); iterator.hasNext(); iterator.next()) {
          seen.add(text(iterator.peekNext().getKey()));
        }
        assertThat(seen).containsExactly("a", "c", "e");
        seen.clear();
        for (iterator.seekToLast(); iterator.hasPrev(); iterator.prev()) {
          seen.add(text(iterator.peekPrev().getKey()));
        }
        assertThat(seen).containsExactly("c", "a");
        iterator.seek(bytes("b"));
        assertThat(text(iterator.next().getKey())).isEqualTo("c");
        assertThat(text(iterator.prev().getKey())).isEqualTo("c");
        assertThat(text(iterator.prev().getKey())).isEqualTo("a");
        assertThat(iterator.hasPrev()).isFalse();
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::prev);
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::peekPrev);
        assertThat(text(iterator.peekNext().getKey())).isEqualTo("a");
        iterator.seek(bytes("f"));
        assertThat(iterator.hasNext()).isFalse();
        assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::next);
        assertThat(text(iterator.peekPrev().getKey())).isEqualTo("e");
        assertThat(iterator.hasNext()).isFalse();
        iterator.seekToLast();
        assertThat(text(iterator.next().getKey())).isEqualTo("e");
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(iterator::remove);
      }
    }
  }

  @Test
  void anEmptyDatabaseHasNothingInAnyDirection() throws IOException {
    try (DB db = open();
        DBIterator iterator = db.iterator()) {
      assertThat(iterator.hasNext()).isFalse();
      assertThat(iterator.hasPrev()).isFalse();
      iterator.seekToLast();
      assertThat(iterator.hasPrev()).isFalse();
      assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(iterator::prev);
    }
  }

  @Test
  void sizesAndPropertiesTellWhatThereIs() throws IOException {
    try (DB db = open(new Options().writeBufferSize(1 << 16).compressionType(NONE))) {
      for (int i = 0; i < 20_000; i++) {
        db.put(bytes(String.format("%06d", i)), new byte[100]);
      }
      db.compactRange(null, null);
      long[] sizes =
          db.getApproximateSizes(
              new Range(bytes("000000"), bytes("010000")), new Range(bytes("5"), bytes("6")));
      assertThat(sizes).hasSize(2);
      assertThat(sizes[0]).isBetween(900_000L, 1_500_000L);
      assertThat(sizes[1]).isZero();
      int files = 0;
      for (int level = 0; level < 7; level++) {
        files += Integer.parseInt(db.getProperty("leveldb.num-files-at-level" + level));
      }
      assertThat(files).isPositive();
      assertThat(db.getProperty("leveldb.stats")).startsWith("stage");
      assertThat(db.getProperty("leveldb.sstables")).contains("['000000' .. ");
      assertThat(Long.parseLong(db.getProperty("leveldb.approximate-memory-usage"))).isPositive();
      assertThat(db.getProperty("leveldb.num-files-at-level7")).isNull();
      assertThat(db.getProperty("leveldb.num-files-at-levelx")).isNull();
      assertThat(db.getProperty("nothing")).isNull();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> db.getProperty(null))
          .withMessage("name is null");
    }
  }

  private static final CompressionType NONE = CompressionType.NONE;

  @Test
  void compactionsAreSuspendedAsOftenAsTheyAreNotResumed() throws Exception {
    try (DB db = open()) {
      db.suspendCompactions();
      db.suspendCompactions();
      db.resumeCompactions();
      fill(db, "a");
      db.resumeCompactions();
      db.resumeCompactions(); // once too often
      db.compactRange(bytes("a"), bytes("a"));
      assertThat(keys(db)).containsExactly("a");
    }
  }

  @Test
  void optionsAreKept() throws IOException {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> open(new Options().createIfMissing(false)))
        .withMessage(directory() + ": does not exist (createIfMissing is false)");
    assertThat(directory()).doesNotExist();
    open().close();
    assertThatExceptionOfType(FileAlreadyExistsException.class)
        .isThrownBy(() -> open(new Options().errorIfExists(true)))
        .withMessage(directory() + ": exists (errorIfExists is true)");
    List<String> messages = Collections.synchronizedList(new ArrayList<>());
    Options all =
        new Options()
            .logger(messages::add)
            .writeBufferSize(1)
            .maxOpenFiles(1)
            .cacheSize(1 << 20)
            .blockSize(8192)
            .verifyChecksums(false)
            .paranoidChecks(true)
            .comparator(new Named("leveldb.BytewiseComparator", Arrays::compareUnsigned));
    try (DB db = open(all)) {
      for (int i = 0; i < 1000; i++) {
        db.put(bytes("" + i), new byte[100]);
      }
      db.compactRange(null, null);
    }
    assertThat(messages).anyMatch(message -> message.startsWith("flushed "));
  }

  @Test
  void otherOrdersAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(new Options().comparator(ordered("mine", Arrays::compareUnsigned))))
        .withMessageContaining("\"mine\"");
    assertThat(directory()).doesNotExist();
  }

  /** Of LevelDB's own, only the name. */
  @Test
  void otherOrdersOfThatNameAreRefused() {
    List<Comparator<byte[]>> orders =
        List.of(
            (one, other) -> Arrays.compareUnsigned(other, one),
            Arrays::compare,
            Comparator.comparingInt(key -> key.length),
            Comparator.comparing((byte[] key) -> text(key).toLowerCase(Locale.ROOT)),
            Comparator.comparing(SifrDBTest::text),
            Comparator.comparing(SifrDBTest::number));
    for (Comparator<byte[]> order : orders) {
      assertThatIllegalArgumentException()
          .as("order %d", orders.indexOf(order))
          .isThrownBy(
              () -> open(new Options().comparator(ordered("leveldb.BytewiseComparator", order))))
          .withMessageContaining("keys are ordered by their unsigned bytes");
    }
    assertThat(directory()).doesNotExist();
  }

  private static int number(byte[] key) {
    return text(key).matches("[0-9]+") ? Integer.parseInt(text(key)) : -1;
  }

  private static DBComparator ordered(String name, Comparator<byte[]> order) {
    return new Named(name, order);
  }

  private record Named(String name, Comparator<byte[]> order) implements DBComparator {
    @Override
    public byte[] findShortestSeparator(byte[] start, byte[] limit) {
      return start;
    }

    @Override
    public byte[] findShortSuccessor(byte[] key) {
      return key;
    }

    @Override
    public int compare(byte[] one, byte[] other) {
      return order.compare(one, other);
    }
  }

  /** Whether the database is closed or the iterator: each of its calls says so. */
  @Test
  void anIteratorIsClosedInAllItsCalls() throws IOException {
    DB db = open();
    fill(db, "a", "b");
    DBIterator closed = db.iterator();
    DBIterator closedAtTheEnd = db.iterator();
    closedAtTheEnd.seek(bytes("c"));
    DBIterator ofClosed = db.iterator();
    closed.close();
    closedAtTheEnd.close();
    db.close();
    for (DBIterator iterator : List.of(closed, closedAtTheEnd, ofClosed)) {
      List<ThrowingCallable> calls =
          List.of(
              iterator::hasNext,
              iterator::peekNext,
              iterator::next,
              iterator::hasPrev,
              iterator::peekPrev,
              iterator::prev,
              iterator::seekToFirst,
              iterator::seekToLast,
              () -> iterator.seek(bytes("a")));
      for (ThrowingCallable call : calls) {
        assertThatExceptionOfType(DBException.class)
            .as("call %d", calls.indexOf(call))
            .isThrownBy(call)
            .withMessageStartingWith("closed: ");
      }
      iterator.close();
    }
  }

  /** Where LevelDB's own files are, nothing is opened, deleted or repaired. */
  @Test
  void aDirectoryOfLevelDbIsNamed() throws IOException {
    Path levelDb = Files.createDirectory(directory().toPath());
    Files.writeString(levelDb.resolve("CURRENT"), "MANIFEST-000002\n");
    for (String name : List.of("LOCK", "MANIFEST-000002", "000005.ldb")) {
      Files.createFile(levelDb.resolve(name));
    }
    List<ThrowingCallable> calls =
        List.of(
            this::open,
            () -> open(new Options().createIfMissing(false)),
            () -> open(new Options().errorIfExists(true)),
            () -> SifrDBFactory.INSTANCE.destroy(directory(), new Options()),
            () -> SifrDBFactory.INSTANCE.repair(directory(), new Options()));
    for (ThrowingCallable call : calls) {
      assertThatExceptionOfType(IOException.class)
          .as("call %d", calls.indexOf(call))
          .isThrownBy(call)
          .withMessageContaining("it is a LevelDB directory. The program sifr-import-leveldb")
          .isNotInstanceOf(FileAlreadyExistsException.class);
    }
    try (var files = Files.list(levelDb)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("CURRENT", "LOCK", "MANIFEST-000002", "000005.ldb");
    }
    assertThat(parent.toFile().list()).containsExactly("db");
  }

  @Test
  void aDatabaseIsOpenOnce() throws IOException {
    DB db = open();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(this::open)
        .withMessageContaining("already open");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> SifrDBFactory.INSTANCE.destroy(directory(), new Options()));
    db.close();
    db.close();
    assertThatExceptionOfType(DBException.class)
        .isThrownBy(() -> db.get(bytes("a")))
        .withMessageContaining("closed");
    assertThatExceptionOfType(DBException.class).isThrownBy(() -> fill(db, "a"));
  }

  @Test
  void whatIsDestroyedIsGone() throws IOException {
    SifrDBFactory.INSTANCE.destroy(directory(), new Options());
    try (DB db = open()) {
      fill(db, "a");
    }
    SifrDBFactory.INSTANCE.destroy(directory(), new Options());
    assertThat(directory()).doesNotExist();
    try (DB db = open()) {
      assertThat(keys(db)).isEmpty();
    }
  }

  @Test
  void whatIsDamagedIsRepaired() throws IOException {
    try (DB db = open(new Options().compressionType(NONE))) {
      for (int i = 0; i < 20_000; i++) {
        fill(db, String.format("%06d", i));
      }
      db.compactRange(null, null);
    }
    SifrDBFactory.INSTANCE.repair(directory(), new Options());
    assertThat(parent.resolve("db.damaged")).doesNotExist();
    Path sst;
    try (var files = Files.list(directory().toPath())) {
      sst = files.filter(file -> file.toString().endsWith(".sst")).findFirst().orElseThrow();
    }
    byte[] content = Files.readAllBytes(sst);
    content[5000] ^= 1;
    Files.write(sst, content);
    SifrDBFactory.INSTANCE.repair(directory(), new Options());
    try (DB db = open()) {
      assertThat(keys(db)).hasSizeBetween(19_000, 19_999);
    }
    assertThat(Store.exists(parent.resolve("db.damaged"))).isTrue();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(
            () -> SifrDBFactory.INSTANCE.repair(parent.resolve("no").toFile(), new Options()));
  }

  @Test
  void keysThatAreTooLongAreRefused() throws IOException {
    try (DB db = open()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> db.put(new byte[(1 << 16) + 1], bytes("x")))
          .withMessageContaining("65536");
    }
  }
}
