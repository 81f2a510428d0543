package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.event.CompactionReason;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.event.StoreStatistics;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.SpaceCountingFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values in value files that are overwritten and deleted take no more space than is allowed. */
class OverwrittenValuesTakeLittleSpaceTest {
  private static final int ENTRIES = 500;
  private static final int VALUE_BYTES = 8000;
  private static final long LIVE = (long) ENTRIES * VALUE_BYTES;
  private static final int PUTS_PER_FLUSH = 30;
  private static final long SEED = 20_241;

  @TempDir Path parent;

  private final AtomicLong peak = new AtomicLong();
  private final AtomicLong valueReads = new AtomicLong();
  private final List<Throwable> failures = new ArrayList<>();
  private volatile Instant now = Instant.parse("2024-02-03T04:05:06Z");
  private final int[] versions = new int[ENTRIES];

  private final SpaceCountingFileSystem files =
      new SpaceCountingFileSystem(
          new CountingReads(),
          file -> file.toString().endsWith(".values") || file.toString().endsWith(".sst"),
          bytes -> peak.accumulateAndGet(bytes, Math::max));

  /** Counts reads of value files. */
  private final class CountingReads extends ForwardingFileSystem {
    CountingReads() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public RandomReadFile openForRead(Path file) {
      RandomReadFile opened = super.openForRead(file);
      return file.toString().endsWith(".values")
          ? new ForwardingRandomReadFile(opened) {
            @Override
            public void readFully(ByteBuffer target, long position) {
              valueReads.incrementAndGet();
              super.readFully(target, position);
            }
          }
          : opened;
    }
  }

  /** Tells what fails in the background. */
  private final class Failures implements StoreListener {
    @Override
    public void failed(FailureEvent event) {
      synchronized (failures) {
        failures.add(event.cause());
      }
    }
  }

  private Path directory() {
    return parent.resolve("store");
  }

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .writeBufferBytes(256 << 10)
        .splitUnitBytes(8 << 10); // value files of 256 KiB
  }

  private Store open() {
    return open(options().build(), files);
  }

  private Store open(StoreOptions options, StoreFileSystem through) {
    Extensions extensions = Extensions.of(options).with((InstantSource) () -> now);
    return TestStores.open(directory(), options, through, new Failures(), extensions);
  }

  private static Database apart(Store store) {
    return store.openOrCreateDatabase(
        "apart",
        DatabaseOptions.builder().separateValuesFrom(500).compression(Compression.NONE).build());
  }

  private static byte[] value(int entry, int version) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(entry * 10_000L + version).nextBytes(value);
    return value;
  }

  private void put(Database database, int entry) {
    versions[entry]++;
    database.put(key(entry), value(entry, versions[entry]));
  }

  private void fill(Database database) {
    for (int i = 0; i < ENTRIES; i++) {
      put(database, i);
    }
  }

  /** After each flush all that is due is done, so that it does not matter how fast that is. */
  private void overwrite(Store store, Database database, int times, boolean skewed) {
    Random random = new Random(SEED);
    for (int i = 0; i < times * ENTRIES; i++) {
      int drawn = random.nextInt(ENTRIES);
      put(database, skewed ? random.nextInt(drawn + 1) * 7919 % ENTRIES : drawn);
      if (i % PUTS_PER_FLUSH == 0) {
        settle(store);
      }
    }
  }

  private static void settle(Store store) {
    store.flush();
    store.awaitIdle();
  }

  private void check(Database database, ReadOptions at, int[] expected) {
    for (int i = 0; i < ENTRIES; i++) {
      assertThat(database.get(key(i), at)).as("%s", i).isEqualTo(value(i, expected[i]));
    }
  }

  private void check(Database database) {
    check(database, ReadOptions.DEFAULT, versions);
  }

  private static long emptied(Store store) {
    return store
        .statistics()
        .get(Metric.COMPACTIONS)
        .getOrDefault(CompactionReason.VALUE_FILES, 0L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void overwrites(boolean skewed) {
    try (Store store = open()) {
      Database database = apart(store);
      fill(database);
      overwrite(store, database, 4, skewed);
      settle(store);
      assertThat(emptied(store)).isPositive();
      assertThat((double) peak.get() / LIVE).as("peak, seed %s", SEED).isLessThan(2.0);
      assertThat((double) files.bytes() / LIVE).as("end, seed %s", SEED).isLessThan(1.6);
      check(database);
      StoreStatistics now = store.statistics();
      assertThat(now.get(Metric.VALUE_FILES))
          .isEqualTo(SmallStores.files(directory(), ".values").size());
      long ofFiles = now.get(Metric.VALUE_FILE_BYTES);
      assertThat(ofFiles).isBetween(LIVE, files.bytes());
      assertThat((double) (ofFiles - now.get(Metric.VALUE_GARBAGE_BYTES)) / LIVE)
          .isBetween(0.85, 1.15);
      long written = store.statistics().get(Metric.COMPACTION_BYTES);
      assertThat((double) written / LIVE).isLessThan(6.0);
    }
    try (Store store = open()) {
      check(apart(store));
    }
    assertThat(StoreCheck.run(directory(), CheckProgress.NONE).findings()).isEmpty();
    assertThat(failures).isEmpty();
  }

  @Test
  void withoutTheLimitTheyTakeMore() {
    try (Store store = open(options().maxSpaceAmplification(0).build(), files)) {
      Database database = apart(store);
      fill(database);
      overwrite(store, database, 4, false);
      settle(store);
      assertThat((double) files.bytes() / LIVE).isGreaterThan(2.5);
      assertThat(emptied(store)).isZero();
    }
    try (Store store = open()) { // and less, once there is one
      store.awaitIdle();
      assertThat((double) files.bytes() / LIVE).isLessThan(1.6);
      check(apart(store));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "one by one", "expiry"})
  void allIsGoneAndNoValueWasRead(String how) {
    try (Store store = open()) {
      Database database = apart(store);
      WriteOptions expiring = WriteOptions.expiringAfter(Duration.ofMinutes(1));
      for (int i = 0; i < ENTRIES; i++) {
        database.put(key(i), value(i, 0), how.equals("expiry") ? expiring : WriteOptions.DEFAULT);
      }
      settle(store);
      assertThat(files.bytes()).isGreaterThan(LIVE);
      switch (how) {
        case "range" -> database.deleteRange(KeyRange.all());
        case "expiry" -> now = now.plusSeconds(61);
        default -> {
          for (int i = 0; i < ENTRIES; i++) {
            database.delete(key(i));
          }
        }
      }
      settle(store);
      if (how.equals("expiry")) {
        database.put(key(1), new byte[1]); // a new view is looked at, at once
        settle(store);
      }
      assertThat((double) files.bytes() / LIVE).isLessThan(0.02);
      assertThat(valueReads.get()).isZero();
    }
  }

  /** Everything that has seen the values before sees them after the files were emptied. */
  @Test
  void whoSeesValuesKeepsThem() throws IOException {
    Path copy = parent.resolve("checkpoint");
    Path backup = parent.resolve("backup");
    Path restored = parent.resolve("restored");
    int[] then;
    try (Store store = open()) {
      Database database = apart(store);
      fill(database);
      overwrite(store, database, 1, false);
      settle(store);
      then = versions.clone();
      store.checkpoint(copy);
      Backups.in(backup).create(store);
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor(KeyRange.all(), ReadOptions.at(snapshot))) {
        assertThat(cursor.first()).isTrue();
        long before = emptied(store);
        overwrite(store, database, 4, true);
        settle(store);
        assertThat(emptied(store)).isGreaterThan(before);
        check(database);
        check(database, ReadOptions.at(snapshot), then);
        for (int i = 0; i < ENTRIES; i++) {
          assertThat(cursor.key()).isEqualTo(key(i));
          assertThat(cursor.value()).isEqualTo(value(i, then[i]));
          assertThat(cursor.next()).isEqualTo(i + 1 < ENTRIES);
        }
      }
    }
    Backups.in(backup).restore(Backups.in(backup).numbers().get(0), restored);
    for (Path other : List.of(copy, restored)) {
      try (Store store = Store.open(other)) {
        check(store.database("apart"), ReadOptions.DEFAULT, then);
      }
    }
  }

  @Test
  void aReaderOfTheStoreInUseKeepsItsMoment() {
    try (Store store = open()) {
      Database database = apart(store);
      fill(database);
      settle(store);
      int[] then = versions.clone();
      try (Store reader = Store.builder(directory()).openReadOnly()) {
        overwrite(store, database, 3, false);
        settle(store);
        assertThat(emptied(store)).isPositive();
        check(reader.database("apart"), ReadOptions.DEFAULT, then);
      }
    }
  }

  /** The file with the value stays; all else goes on. */
  @Test
  void aDamagedValueIsNotCopied() throws IOException {
    int damaged;
    try (Store store = open()) {
      Database database = apart(store);
      fill(database);
      settle(store);
      store.pauseCompactions();
      damaged = ENTRIES / 2;
      damage(value(damaged, versions[damaged]));
      Random random = new Random(SEED);
      for (int i = 0; i < 5 * ENTRIES; i++) {
        int entry = random.nextInt(ENTRIES);
        if (entry != damaged) {
          put(database, entry);
        }
        if (i == ENTRIES) {
          store.resumeCompactions();
        }
      }
      settle(store);
      assertThat(emptied(store)).isGreaterThan(5);
      assertThat((double) files.bytes() / LIVE).isLessThan(1.7);
      assertThatThrownBy(() -> database.get(key(damaged)))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(SmallStores.text(key(damaged)));
      for (int i = 0; i < ENTRIES; i++) {
        if (i != damaged) {
          assertThat(database.get(key(i))).isEqualTo(value(i, versions[i]));
        }
      }
    }
    assertThat(failures).hasSize(1).first().isInstanceOf(CorruptionException.class);
  }

  private void damage(byte[] value) throws IOException {
    for (Path file : SmallStores.files(directory(), ".values")) {
      byte[] content = Files.readAllBytes(file);
      int at = indexOf(content, value);
      if (at >= 0) {
        content[at + 100] ^= 1;
        Files.write(file, content);
        return;
      }
    }
    throw new AssertionError("no file has the value");
  }

  private static int indexOf(byte[] content, byte[] value) {
    for (int i = 0; i + value.length <= content.length; i++) {
      if (Arrays.equals(content, i, i + value.length, value, 0, value.length)) {
        return i;
      }
    }
    return -1;
  }
}
