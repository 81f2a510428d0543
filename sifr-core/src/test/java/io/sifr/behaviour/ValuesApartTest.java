package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.BulkLoader;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.Transaction;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.spi.MergeOperators;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that are stored apart from their keys: that they are read as others, and when they go. */
class ValuesApartTest {
  private static final int FROM = 1000;
  private static final long SEED = 20_240;

  @TempDir Path parent;
  private Path directory = Path.of("");
  private volatile Instant now = Instant.parse("2024-02-03T04:05:06Z");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private Store open() {
    return Store.builder(directory)
        .options(StoreOptions.builder().keptLogBytes(0).build())
        .clock((InstantSource) () -> now)
        .open();
  }

  private static DatabaseOptions apart() {
    return DatabaseOptions.builder().separateValuesFrom(FROM).build();
  }

  private static byte[] key(int number) {
    return String.format("key %06d", number).getBytes(UTF_8);
  }

  /** A value, half of whose bytes a codec can save. */
  private static byte[] value(long seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    for (int i = 0; i < length; i++) {
      if (i / 100 % 2 == 0) {
        value[i] = 7;
      }
    }
    return value;
  }

  private List<Path> valueFiles() {
    return files(".values");
  }

  private List<Path> files(String ending) {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static byte @Nullable [] read(Database database, byte[] key, ReadOptions options) {
    byte[] value = database.get(key, options);
    assertThat(database.contains(key, options)).isEqualTo(value != null);
    assertThat(database.getAsync(key, options).join()).isEqualTo(value);
    assertThat(database.multiGet(List.of(key), options).get(0)).isEqualTo(value);
    for (ByteBuf target : List.of(Unpooled.buffer(), Unpooled.directBuffer())) {
      target.writeByte(1);
      int found = database.byteBufs().get(Unpooled.wrappedBuffer(key), target, options);
      assertThat(found).isEqualTo(value == null ? -1 : value.length);
      assertThat(bytes(target.skipBytes(1))).isEqualTo(value == null ? new byte[0] : value);
      target.release();
    }
    List<byte[]> seen = new ArrayList<>();
    boolean isShown =
        database
            .byteBufs()
            .read(Unpooled.wrappedBuffer(key), view -> seen.add(bytes(view)), options);
    assertThat(isShown).isEqualTo(value != null);
    try (Cursor cursor = database.cursor(KeyRange.between(key, successor(key)), options)) {
      while (cursor.next()) {
        assertThat(cursor.valueLength()).isEqualTo(cursor.value().length);
        seen.add(cursor.value());
      }
      while (cursor.previous()) {
        seen.add(cursor.value());
      }
    }
    assertThat(seen)
        .hasSize(value == null ? 0 : 3)
        .allSatisfy(each -> assertThat(each).isEqualTo(value));
    return value;
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return bytes;
  }

  @Test
  void whatIsReadOfValueFilesIsCounted() {
    StoreOptions options = StoreOptions.builder().readMode(ReadMode.POSITIONAL).build();
    int length = 300_000;
    try (Store store = Store.builder(directory).options(options).open()) {
      Database database =
          store.createDatabase("apart", apart().toBuilder().compression(Compression.NONE).build());
      database.put(key(1), value(1, length));
      store.flush();
      assertThat(database.get(key(1))).hasSize(length);
      StoreStatistics before = store.statistics();
      assertThat(database.contains(key(1))).isTrue();
      StoreStatistics ofKeys = store.statistics();
      assertThat(database.get(key(1))).hasSize(length);
      StoreStatistics after = store.statistics();

      assertThat(ofKeys.get(Metric.FILE_READ_BYTES) - before.get(Metric.FILE_READ_BYTES))
          .isLessThan(length);
      assertThat(after.get(Metric.FILE_READ_BYTES) - ofKeys.get(Metric.FILE_READ_BYTES))
          .isBetween((long) length, length + 10_000L);
      assertThat(after.get(Metric.FILE_READS) - ofKeys.get(Metric.FILE_READS)).isPositive();
    }
  }

  private static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void allSizesAreReadInEveryWay(Compression compression) {
    int[] sizes = {0, 1, FROM - 1, FROM, 16 << 10, (16 << 10) + 1, 100_000, 1 << 20};
    DatabaseOptions options = apart().toBuilder().compression(compression).build();
    try (Store store = open()) {
      Database database = store.createDatabase("apart", options);
      for (int i = 0; i < sizes.length; i++) {
        database.put(key(i), value(i, sizes[i]));
      }
      store.flush();
      assertThat(valueFiles()).hasSize(2); // of the puts of the largest values, and of the flush
      checkSizes(database, sizes);
      database.compact();
      checkSizes(database, sizes);
    }
    try (Store store = open()) {
      assertThat(store.database("apart").options()).isEqualTo(options);
      checkSizes(store.database("apart"), sizes);
    }
    assertThat(valueFiles()).hasSize(2);
  }

  private static void checkSizes(Database database, int[] sizes) {
    for (int i = 0; i < sizes.length; i++) {
      byte[] value = read(database, key(i), ReadOptions.DEFAULT);
      assertThat(value).as("value of %s bytes", sizes[i]).isEqualTo(value(i, sizes[i]));
    }
  }

  @Test
  void compactionsNeitherReadNorWriteValues() throws IOException {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      for (int flush = 0; flush < 6; flush++) {
        for (int i = 0; i < 20; i++) {
          database.put(key(i * 10 + flush), value(i, 50_000));
        }
        store.flush();
      }
      List<Path> files = valueFiles();
      assertThat(files).hasSize(6);
      List<byte[]> kept = new ArrayList<>();
      for (Path file : files) {
        kept.add(Files.readAllBytes(file));
        Files.write(file, new byte[] {1}); // what a compaction would read is not there
      }
      database.compact();
      assertThat(valueFiles()).isEqualTo(files);
      for (int i = 0; i < files.size(); i++) {
        Files.write(files.get(i), kept.get(i));
      }
      for (int i = 0; i < 20; i++) {
        assertThat(database.get(key(i * 10 + 5))).isEqualTo(value(i, 50_000));
      }
    }
  }

  @Test
  void filesOfOverwrittenValuesAreDeletedAtOnce() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
          database.put(key(i), value(round, 5000));
        }
        store.flush();
      }
      database.compact();
      assertThat(valueFiles()).hasSize(1);
      assertThat(read(database, key(3), ReadOptions.DEFAULT)).isEqualTo(value(2, 5000));
      database.deleteRange(KeyRange.all());
      database.compact();
      assertThat(valueFiles()).isEmpty();
      assertThat(database.get(key(3))).isNull();
    }
  }

  @Test
  void aFileStaysAsLongAsASnapshotSeesAValueInIt() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      database.put(key(1), value(1, 5000));
      store.flush();
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot))) {
        assertThat(cursor.first()).isTrue();
        database.delete(key(1));
        database.compact();
        assertThat(valueFiles()).hasSize(1);
        assertThat(cursor.value()).isEqualTo(value(1, 5000));
        assertThat(read(database, key(1), ReadOptions.at(snapshot))).isEqualTo(value(1, 5000));
        assertThat(read(database, key(1), ReadOptions.DEFAULT)).isNull();
      }
      database.put(key(2), value(2, 10));
      database.compact();
      assertThat(valueFiles()).isEmpty();
    }
  }

  @Test
  void aCursorOfADroppedDatabaseReadsNoValue() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      database.put(key(1), value(1, 5000));
      store.flush();
      try (Cursor cursor = database.cursor(KeyRange.all())) {
        assertThat(cursor.first()).isTrue();
        store.dropDatabase("apart");
        assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
      }
    }
    try (Store store = open()) {
      assertThat(valueFiles()).isEmpty();
    }
  }

  @Test
  void filesOfADroppedDatabaseAreDeleted() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      database.put(key(1), value(1, 5000));
      store.flush();
      assertThat(valueFiles()).hasSize(1);
      store.dropDatabase("apart");
    }
    assertThat(valueFiles()).isEmpty();
  }

  @Test
  void valuesExpire() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      WriteOptions soon = WriteOptions.expiringAfter(Duration.ofMinutes(1));
      database.put(key(1), value(1, 5000), soon);
      database.put(key(2), value(2, FROM - 1), soon);
      database.put(key(3), value(3, FROM), soon);
      store.flush();
      database.compact();
      for (int i = 1; i <= 3; i++) {
        assertThat(read(database, key(i), ReadOptions.DEFAULT)).isNotNull();
      }
      now = now.plusSeconds(61);
      for (int i = 1; i <= 3; i++) {
        assertThat(read(database, key(i), ReadOptions.DEFAULT)).isNull();
      }
      database.compact();
      assertThat(valueFiles()).isEmpty();
    }
  }

  @Test
  void operandsAreMergedWithAValueThatIsApart() {
    DatabaseOptions options = apart().toBuilder().mergeOperator(MergeOperators.APPEND).build();
    try (Store store = open()) {
      Database database = store.createDatabase("apart", options);
      database.put(key(1), value(1, 5000));
      store.flush();
      database.merge(key(1), new byte[] {1, 2});
      byte[] expected = Arrays.copyOf(value(1, 5000), 5002);
      expected[5000] = 1;
      expected[5001] = 2;
      assertThat(read(database, key(1), ReadOptions.DEFAULT)).isEqualTo(expected);
      store.flush();
      assertThat(read(database, key(1), ReadOptions.DEFAULT)).isEqualTo(expected);
      database.compact();
      assertThat(read(database, key(1), ReadOptions.DEFAULT)).isEqualTo(expected);
      assertThat(valueFiles()).hasSize(1); // that of the value with which it was merged is gone
    }
  }

  /** Values that it did not ask for, too, and then others. */
  @Test
  void aCursorReadsTheValueOfTheKeyWhereItStands() {
    DatabaseOptions options = apart().toBuilder().mergeOperator(MergeOperators.APPEND).build();
    try (Store store = open()) {
      Database database = store.createDatabase("apart", options);
      for (int i = 0; i < 20; i++) {
        if (i % 3 != 1) {
          database.put(key(i), value(i, i % 3 == 0 ? 2000 : 20));
        }
      }
      store.flush();
      for (int i = 1; i < 20; i += 3) {
        database.merge(key(i), value(i, 2000)); // stays an operand
      }
      Random random = new Random(SEED);
      try (Cursor cursor = database.cursor(KeyRange.all())) {
        int at = 0;
        assertThat(cursor.first()).isTrue();
        for (int step = 0; step < 500; step++) {
          if (random.nextBoolean()) {
            int length = at % 3 == 2 ? 20 : 2000;
            assertThat(cursor.valueLength()).isEqualTo(length);
            assertThat(cursor.value()).as("key %s", at).isEqualTo(value(at, length));
          }
          boolean forward = at == 0 || (at < 19 && random.nextBoolean());
          assertThat(forward ? cursor.next() : cursor.previous()).isTrue();
          at += forward ? 1 : -1;
          assertThat(cursor.key()).isEqualTo(key(at));
        }
      }
    }
  }

  @Test
  void transactionsReadAndCheckValuesThatAreApart() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      database.put(key(1), value(1, 5000));
      store.flush();
      try (Transaction transaction = store.beginTransaction()) {
        assertThat(transaction.get(database, key(1))).isEqualTo(value(1, 5000));
        transaction.put(database, key(2), value(2, 6000));
        transaction.commit();
      }
      assertThat(database.putIfAbsent(key(1), value(9, 10))).isEqualTo(value(1, 5000));
      assertThat(database.compareAndSet(key(1), value(1, 5000), value(3, 7000))).isTrue();
      assertThat(read(database, key(1), ReadOptions.DEFAULT)).isEqualTo(value(3, 7000));
    }
  }

  @Test
  void compactionsSeparateWhatWasBesideItsKey() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      try (BulkLoader loader = database.bulkLoader().open()) {
        for (int i = 0; i < 20; i++) {
          loader.put(key(i), value(i, 5000));
        }
        loader.finish();
      }
      assertThat(valueFiles()).isEmpty();
      database.put(key(7), value(100, 5000));
      database.put(key(8), value(8, 10));
      database.compact();
      assertThat(valueFiles()).isNotEmpty();
      assertThat(files(".sst"))
          .allSatisfy(sst -> assertThat(sst.toFile().length()).isLessThan(20_000));
      for (int i = 0; i < 20; i++) {
        byte[] expected = i == 7 ? value(100, 5000) : value(i, i == 8 ? 10 : 5000);
        assertThat(read(database, key(i), ReadOptions.DEFAULT)).isEqualTo(expected);
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  @Test
  void theThresholdCanBeChanged() {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", DatabaseOptions.DEFAULT);
      database.put(key(1), value(1, 5000));
      store.flush();
      assertThat(valueFiles()).isEmpty();
      store.alterDatabase("apart", apart());
      database.put(key(2), value(2, 5000));
      store.flush();
      assertThat(valueFiles()).hasSize(1);
      store.alterDatabase("apart", DatabaseOptions.DEFAULT);
      database.put(key(3), value(3, 5000));
      store.flush();
      assertThat(valueFiles()).hasSize(1);
      for (int i = 1; i <= 3; i++) {
        assertThat(read(database, key(i), ReadOptions.DEFAULT)).isEqualTo(value(i, 5000));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, (1 << 29) + 1})
  void otherThresholdsAreRefused(int bytes) {
    assertThatThrownBy(() -> DatabaseOptions.builder().separateValuesFrom(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("separateValuesFrom is " + bytes + "; allowed: 0 to 536870912 bytes");
  }

  @Test
  void damageOfAValueIsThatOfItsKeyAlone() throws IOException {
    Map<Integer, byte[]> written = new TreeMap<>();
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      for (int i = 0; i < 10; i++) {
        written.put(i, value(SEED + i, 40_000));
        database.put(key(i), value(SEED + i, 40_000));
      }
    }
    Path file = valueFiles().get(0);
    byte[] content = Files.readAllBytes(file);
    int at = 32 + 3 * (content.length - 32) / 10 + 30_000; // in the fourth
    content[at] ^= 1;
    Files.write(file, content);
    try (Store store = open()) {
      Database database = store.database("apart");
      for (int i = 0; i < 10; i++) {
        if (i == 3) {
          assertThatThrownBy(() -> database.get(key(3)))
              .isInstanceOf(CorruptionException.class)
              .hasMessageContaining(file.getFileName().toString())
              .hasMessageContaining("\"key 000003\"");
        } else {
          assertThat(database.get(key(i))).isEqualTo(written.get(i));
        }
      }
      assertThat(database.contains(key(3))).isTrue();
      int read = 0;
      try (Cursor cursor = database.cursor(KeyRange.all())) {
        while (cursor.next()) {
          if (Arrays.equals(cursor.key(), key(3))) {
            assertThatThrownBy(cursor::value).isInstanceOf(CorruptionException.class);
          } else {
            assertThat(cursor.value()).isEqualTo(written.get(read));
          }
          read++;
        }
      }
      assertThat(read).isEqualTo(10);
      database.compact(); // which reads no value
      assertThat(database.get(key(4))).isEqualTo(written.get(4));
    }
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    try (Store store = open()) {
      Database database = store.createDatabase("apart", apart());
      database.put(key(1), value(1, 5000));
      database.put(key(2), value(2, 10));
    }
    Path file = valueFiles().get(0);
    Files.delete(file);
    try (Store store = open()) {
      Database database = store.database("apart");
      assertThat(database.get(key(2))).isEqualTo(value(2, 10));
      assertThatThrownBy(() -> database.get(key(1)))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(file.getFileName() + " is damaged")
          .hasMessageContaining("missing");
    }
  }
}
