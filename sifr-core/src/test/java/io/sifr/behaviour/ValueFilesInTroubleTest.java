package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.StoreFullException;
import io.sifr.event.CompactionReason;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interrupted threads, a lack of descriptors and a full disk, while values are put, read, flushed
 * and copied: others go on, nothing is lost, and no file is left that nobody knows.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ValueFilesInTroubleTest {
  private static final int LARGE = 100_000;
  private static final int ENTRIES = 200;
  private static final Tuning TUNING = Tuning.DEFAULT.withWriteValuesOnceFrom(LARGE);

  private final FaultyFileSystem files =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private Store open() {
    StoreOptions options =
        SmallStores.options().writeBufferBytes(1 << 20).splitUnitBytes(8 << 10).build();
    return TestStores.open(directory, options, TUNING, files);
  }

  private static Database apart(Store store) {
    return store.openOrCreateDatabase(
        "apart",
        DatabaseOptions.builder().separateValuesFrom(500).compression(Compression.NONE).build());
  }

  private static boolean isValues(Path file) {
    return file.toString().endsWith(".values");
  }

  private static byte[] value(int entry, int version, int length) {
    byte[] value = new byte[length];
    new Random(entry * 10_000L + version).nextBytes(value);
    return value;
  }

  /** All value files there are have a tree that refers to them, and the store is sound. */
  private void requireNothingUnknown() {
    List<Long> known = new ArrayList<>();
    try (Store store = open()) {
      store.flush();
      store.awaitIdle();
      for (ForestShape.ValueFile file : apart(store).forest().valueFiles()) {
        known.add(file.number());
      }
      assertThat(SmallStores.files(directory, ".values")).hasSize(known.size());
    }
    assertThat(SmallStores.files(directory, ".values")).hasSize(known.size());
    assertThat(TestChecks.run(new DiskFileSystem(), directory).findings()).isEmpty();
  }

  /** An interrupt closes the channel through which others read, too. */
  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void interruptedThreadsReadAndPut(LogAccess access) throws InterruptedException {
    StoreOptions options = SmallStores.options().logAccess(access).build();
    Thread worker = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    List<Throwable> failures = new ArrayList<>();
    try (Store store = TestStores.open(directory, options, TUNING, new DiskFileSystem())) {
      Database database = apart(store);
      database.put(key(0), value(0, 0, LARGE));
      database.put(key(1), value(1, 0, LARGE / 2));
      store.flush();
      Thread interrupter =
          new Thread(
              () -> {
                while (!done.get()) {
                  worker.interrupt();
                  LockSupport.parkNanos(50_000);
                }
              });
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!done.get()) {
                    assertThat(database.get(key(0))).isEqualTo(value(0, 0, LARGE));
                    assertThat(database.get(key(1))).isEqualTo(value(1, 0, LARGE / 2));
                  }
                } catch (RuntimeException | AssertionError e) {
                  failures.add(e);
                }
              });
      reader.start();
      interrupter.start();
      try {
        for (int i = 2; i < 60; i++) {
          int length = i % 2 == 0 ? LARGE : 5000;
          database.put(
              key(i), value(i, 0, length), i % 10 == 0 ? WriteOptions.SYNC : WriteOptions.BUFFERED);
          assertThat(database.get(key(i))).isEqualTo(value(i, 0, length));
          assertThat(database.get(key(0))).isEqualTo(value(0, 0, LARGE));
          if (i % 20 == 0) {
            store.flush();
          }
        }
        Thread.currentThread().interrupt();
        assertThat(database.get(key(1))).isEqualTo(value(1, 0, LARGE / 2));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        database.put(key(60), value(60, 0, LARGE), WriteOptions.SYNC);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        done.set(true);
        while (interrupter.isAlive() || reader.isAlive()) {
          var unused = Thread.interrupted();
          LockSupport.parkNanos(50_000);
        }
        var unused = Thread.interrupted();
      }
      reader.join();
    }
    assertThat(failures).isEmpty();
    requireNothingUnknown();
  }

  @Test
  void withoutDescriptorsAReadFailsAndTheNextOneDoesNot() {
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(0), value(0, 0, 5000));
      store.flush();
      files.failOnce(Operation.OPEN_FOR_READ, ValueFilesInTroubleTest::isValues, 1, Fault.EMFILE);
      assertThatThrownBy(() -> database.get(key(0)))
          .isInstanceOf(FileNotOpenedException.class)
          .hasMessageContaining(".values");
      assertThat(database.get(key(0))).isEqualTo(value(0, 0, 5000));
    }
    requireNothingUnknown();
  }

  @ParameterizedTest
  @EnumSource(names = {"CREATE", "OPEN_FOR_WRITE"})
  void withoutDescriptorsALargeValueIsRefusedAndAFlushIsTriedAgain(Operation operation) {
    try (Store store = open()) {
      Database database = apart(store);
      files.failOnce(operation, ValueFilesInTroubleTest::isValues, 1, Fault.EMFILE);
      assertThatThrownBy(() -> database.put(key(0), value(0, 0, LARGE)))
          .isInstanceOf(FileNotOpenedException.class)
          .hasMessageContaining(".values");
      assertThat(database.get(key(0))).isNull();
      assertThat(SmallStores.files(directory, ".values")).isEmpty();
      database.put(key(0), value(0, 1, LARGE));
      database.put(key(1), value(1, 1, 5000));
      files.failOnce(operation, ValueFilesInTroubleTest::isValues, 1, Fault.EMFILE);
      database.put(key(2), value(2, 1, 5000));
      store.flush();
      store.awaitIdle();
      assertThat(database.get(key(0))).isEqualTo(value(0, 1, LARGE));
      assertThat(database.get(key(1))).isEqualTo(value(1, 1, 5000));
      assertThat(SmallStores.files(directory, ".values")).hasSize(2);
    }
    requireNothingUnknown();
  }

  /** Wherever in the value: in its first bytes, in the middle, or with its head, which is last. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void onAFullDiskALargeValueIsRefused(int nth) {
    int length = 600_000; // three writes, and the head
    try (Store store = open()) {
      Database database = apart(store);
      database.put(key(0), value(0, 0, length));
      files.failOnce(Operation.WRITE, ValueFilesInTroubleTest::isValues, nth, Fault.ENOSPC);
      assertThatThrownBy(() -> database.put(key(0), value(0, 1, length)))
          .isInstanceOf(StoreFullException.class);
      assertThat(database.get(key(0))).isEqualTo(value(0, 0, length));
      database.put(key(1), value(1, 1, length), WriteOptions.SYNC); // there is space again
      store.flush();
      assertThat(database.get(key(0))).isEqualTo(value(0, 0, length));
      assertThat(database.get(key(1))).isEqualTo(value(1, 1, length));
    }
    try (Store store = open()) {
      assertThat(apart(store).get(key(0))).isEqualTo(value(0, 0, length));
      assertThat(apart(store).get(key(1))).isEqualTo(value(1, 1, length));
    }
    requireNothingUnknown();
  }

  @Test
  void ofAValueThatWasRefusedNoFileIsLeft() {
    try (Store store = open()) {
      Database database = apart(store);
      files.failOnce(Operation.WRITE, ValueFilesInTroubleTest::isValues, 2, Fault.ENOSPC);
      assertThatThrownBy(() -> database.put(key(0), value(0, 1, 600_000)))
          .isInstanceOf(StoreFullException.class);
    }
    assertThat(SmallStores.files(directory, ".values")).isEmpty();
    requireNothingUnknown();
  }

  /** It is refused for as long as there is no space, and the copies that were begun are gone. */
  @ParameterizedTest
  @EnumSource(names = {"CREATE", "OPEN_FOR_WRITE", "WRITE", "SYNC"})
  void onAFullDiskNothingIsLostOfFilesThatAreEmptied(Operation operation) {
    int length = 8000;
    int[] versions = new int[ENTRIES];
    try (Store store = open()) {
      Database database = apart(store);
      for (int i = 0; i < ENTRIES; i++) {
        database.put(key(i), value(i, 0, length));
      }
      store.flush();
      store.awaitIdle();
      store.pauseCompactions();
      Random random = new Random(1);
      for (int i = 0; i < 2 * ENTRIES; i++) {
        int entry = random.nextInt(ENTRIES);
        versions[entry]++;
        database.put(key(entry), value(entry, versions[entry], length));
      }
      store.flush();
      files.failForGood(operation, ValueFilesInTroubleTest::isValues, 1, Fault.ENOSPC);
      long before = files.calls(operation);
      store.resumeCompactions();
      Waiting.until("values are to be copied", () -> files.calls(operation) > before);
      for (int i = 0; i < ENTRIES; i++) {
        assertThat(database.get(key(i))).isEqualTo(value(i, versions[i], length));
      }
      files.heal();
      store.awaitIdle();
      long emptied =
          store.statistics().get(Metric.COMPACTIONS).getOrDefault(CompactionReason.VALUE_FILES, 0L);
      assertThat(emptied).isPositive();
      for (int i = 0; i < ENTRIES; i++) {
        assertThat(database.get(key(i))).isEqualTo(value(i, versions[i], length));
      }
      ForestShape forest = database.forest();
      assertThat((double) forest.valueBytes() / (ENTRIES * length)).isLessThan(1.6);
      assertThat(SmallStores.files(directory, ".values")).hasSize(forest.valueFiles().size());
    }
    requireNothingUnknown();
  }
}
