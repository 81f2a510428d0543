package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.salvage.Salvage;
import io.sifr.inspect.salvage.SalvageReport;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store of which an SST is lost is opened all the same, and says so of those keys alone. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WhatIsWholeIsServedTest {
  /** Keys 0 to 99, 100 to 199 and 200 to 299 are an SST each. */
  private static final int KEYS = 100;

  private static final int LOST_FROM = KEYS;
  private static final int LOST_TO = 2 * KEYS;

  @TempDir Path parent;
  private Path directory;
  private List<Path> ssts;

  /** What can happen to a file. */
  enum Loss {
    MISSING("the file is missing") {
      @Override
      void happenTo(Path file) throws IOException {
        Files.delete(file);
      }
    },
    SHORTENED("the file has ") {
      @Override
      void happenTo(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
      }
    },
    EMPTY("the file has 0 bytes") {
      @Override
      void happenTo(Path file) throws IOException {
        Files.write(file, new byte[0]);
      }
    },
    A_DIRECTORY("the file has ") {
      @Override
      void happenTo(Path file) throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        Files.createFile(file.resolve("something"));
      }
    },
    OVERWRITTEN("is damaged at offset") {
      @Override
      void happenTo(Path file) throws IOException {
        Files.write(file, new byte[(int) Files.size(file)]);
      }
    };

    private final String message;

    Loss(String message) {
      this.message = message;
    }

    abstract void happenTo(Path file) throws IOException;
  }

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .compaction(CompactionPolicy.splitForest(64))
        .splitUnitBytes(1 << 20)
        .writeBufferBytes(1 << 20)
        .filterBitsPerKey(0);
  }

  @BeforeEach
  void threeTreesAndAnotherDatabase() {
    directory = parent.resolve("store");
    try (Store store = SmallStores.open(directory, options().build())) {
      for (int tree = 0; tree < 3; tree++) {
        SmallStores.fill(store.database(), tree * KEYS, (tree + 1) * KEYS, 1);
        store.flush();
      }
      Database other = store.openOrCreateDatabase("other");
      for (int version = 1; version <= 2; version++) {
        SmallStores.fill(other, 0, KEYS, version);
        store.flush();
      }
    }
    ssts = SmallStores.files(directory, ".sst");
    assertThat(ssts).hasSize(5);
  }

  private Path lost() {
    return ssts.get(1);
  }

  private static void assertNamesTheLoss(CorruptionException e, Path file, Loss loss) {
    assertThat(e.file().getFileName()).isEqualTo(file.getFileName());
    assertThat(e)
        .hasMessageContaining(file.getFileName().toString())
        .hasMessageContaining(loss.message)
        .hasMessageContaining("of its 100 entries")
        .hasMessageContaining("keys from \"key000100\" to \"key000199\"");
  }

  @ParameterizedTest
  @EnumSource
  void keysOfOtherSstsAreServedAndThoseOfThisOneNameIt(Loss loss) throws IOException {
    loss.happenTo(lost());
    List<StoreListener.FailureEvent> failures = new CopyOnWriteArrayList<>();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void failed(FailureEvent event) {
            failures.add(event);
          }
        };
    for (int round = 0; round < 4; round++) {
      ReadMode mode = round % 2 == 0 ? ReadMode.MMAP : ReadMode.POSITIONAL;
      boolean isChecked = round < 2;
      failures.clear();
      try (Store store =
          TestStores.open(
              directory,
              options().readMode(mode).checkBytesPerSecond(isChecked ? 1 << 20 : 0).build(),
              new NoSyncFileSystem(new DiskFileSystem()),
              listener)) {
        assertThat(store.statistics().get(Metric.SSTS)).isGreaterThanOrEqualTo(4);
        if (isChecked) {
          Waiting.until("the check", () -> store.statistics().get(Metric.UNCHECKED_SSTS) == 0);
          Waiting.until("the listener to be told", () -> !failures.isEmpty());
        }
        assertThat(failures).hasSize(isChecked ? 1 : 0);
        assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isEqualTo(isChecked ? 1 : 0);

        Database database = store.database();
        for (int i = 0; i < 3 * KEYS; i++) {
          byte[] key = key(i);
          if (i < LOST_FROM || i >= LOST_TO) {
            assertThat(database.get(key)).isEqualTo(value(i, 1));
          } else {
            assertThatThrownBy(() -> database.get(key))
                .isInstanceOfSatisfying(
                    CorruptionException.class, e -> assertNamesTheLoss(e, lost(), loss));
          }
        }
        assertThat(database.get(SmallStores.bytes("zebra"))).isNull();
        try (Cursor cursor = database.cursor()) {
          for (int i = 0; i < LOST_FROM; i++) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.value()).isEqualTo(value(i, 1));
          }
          assertThatThrownBy(cursor::next).isInstanceOf(CorruptionException.class);
        }
        try (Cursor cursor = database.cursor()) {
          assertThat(cursor.last()).isTrue();
          for (int i = 3 * KEYS - 1; i > LOST_TO + 1; i--) {
            assertThat(cursor.key()).isEqualTo(key(i));
            assertThat(cursor.previous()).isTrue();
          }
          // Going backward the newest version of a key is known one entry later.
          assertThatThrownBy(cursor::previous).isInstanceOf(CorruptionException.class);
          assertThat(cursor.seek(key(LOST_TO))).isTrue();
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.previous()).isTrue();
          assertThat(cursor.key()).isEqualTo(key(LOST_TO + 1));
          assertThatThrownBy(() -> cursor.seek(key(LOST_TO - 1)))
              .isInstanceOf(CorruptionException.class);
          assertThat(cursor.seekBefore(key(LOST_FROM))).isTrue();
          assertThat(cursor.previous()).isTrue();
          assertThat(cursor.next()).isTrue();
          assertThat(cursor.key()).isEqualTo(key(LOST_FROM - 1));
          assertThatThrownBy(cursor::next).isInstanceOf(CorruptionException.class);
        }
        try (Cursor cursor = database.cursor(KeyRange.lessThan(key(LOST_FROM)))) {
          assertThat(SmallStores.rest(cursor)).isEqualTo(SmallStores.filled(0, LOST_FROM, 1));
        }
        try (Cursor cursor = database.cursor(KeyRange.atLeast(key(LOST_TO)))) {
          assertThat(SmallStores.rest(cursor))
              .isEqualTo(SmallStores.filled(LOST_TO, LOST_TO + KEYS, 1));
        }
        Waiting.until("the listener to be told", () -> !failures.isEmpty());
        assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isEqualTo(1);
      }
      assertThat(failures).hasSize(1);
      assertThat(failures.get(0).work()).isEqualTo("open");
      assertNamesTheLoss((CorruptionException) failures.get(0).cause(), lost(), loss);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsWrittenAnewIsServed(Loss loss) throws IOException {
    loss.happenTo(lost());
    try (Store store = SmallStores.open(directory, options().build())) {
      SmallStores.fill(store.database(), LOST_FROM, LOST_FROM + 10, 3);
      store.flush();
      for (int i = LOST_FROM; i < LOST_FROM + 10; i++) {
        assertThat(store.database().get(key(i))).isEqualTo(value(i, 3));
      }
      assertThatThrownBy(() -> store.database().get(key(LOST_FROM + 10)))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void otherDatabasesCompact(Loss loss) throws IOException {
    loss.happenTo(lost());
    try (Store store = SmallStores.open(directory, options().build())) {
      store.database("other").compact();
      assertThat(store.database("other").forest().trees()).isEqualTo(1);
      SmallStores.fill(store.database(), 0, 3 * KEYS, 4);
      assertThatThrownBy(() -> store.database().compact())
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertNamesTheLoss(e, lost(), loss));
      SmallStores.fill(store.database(), 0, 3 * KEYS, 5);
      store.flush();
      assertThat(SmallStores.content(store.database("other")))
          .isEqualTo(SmallStores.filled(0, KEYS, 2));
      assertThat(store.database().get(key(LOST_FROM))).isEqualTo(value(LOST_FROM, 5));
    }
  }

  @ParameterizedTest
  @EnumSource
  void mergesThatNeedItStopAndWritesGoOn(Loss loss) throws IOException {
    loss.happenTo(lost());
    try (Store store =
        SmallStores.open(
            directory, options().compaction(CompactionPolicy.splitForest(2)).build())) {
      for (int version = 2; version < 6; version++) {
        SmallStores.fill(store.database(), 0, 3 * KEYS, version);
        SmallStores.fill(store.database("other"), 0, KEYS, version);
        store.flush();
      }
      store.awaitIdle();
      assertThat(SmallStores.content(store.database("other")))
          .isEqualTo(SmallStores.filled(0, KEYS, 5));
      for (int i = 0; i < 3 * KEYS; i++) {
        assertThat(store.database().get(key(i))).isEqualTo(value(i, 5));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void itIsRefusedWhenThatIsAskedFor(Loss loss) throws IOException {
    StoreOptions strict = options().openIfDamaged(false).build();
    SmallStores.open(directory, strict).close();
    loss.happenTo(lost());
    assertThatThrownBy(() -> SmallStores.open(directory, strict))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertNamesTheLoss(e, lost(), loss));
    Loss.MISSING.happenTo(ssts.get(4));
    assertThatThrownBy(() -> SmallStores.open(directory, strict))
        .isInstanceOf(SifrException.class)
        .hasMessageContaining(lost().getFileName().toString())
        .hasMessageContaining(ssts.get(4).getFileName().toString());
    // It has left nothing locked.
    SmallStores.open(directory, options().build()).close();
  }

  @ParameterizedTest
  @EnumSource
  void itIsCheckedAndSalvaged(Loss loss) throws IOException {
    loss.happenTo(lost());
    CheckReport check = StoreCheck.run(directory, CheckProgress.NONE);
    assertThat(check.findings())
        .extracting(Finding::file)
        .containsOnly(directory.toRealPath().resolve(lost().getFileName()));

    Path rescued = parent.resolve("rescued");
    SalvageReport report = Salvage.run(directory, rescued, CheckProgress.NONE);
    assertThat(report.lost()).isNotEmpty();
    assertThat(report.lost().toString()).contains(lost().getFileName().toString(), "key0001");
    try (Store store = SmallStores.open(rescued)) {
      assertThat(SmallStores.content(store.database()))
          .hasSizeBetween(2 * KEYS, 3 * KEYS - 1)
          .containsAllEntriesOf(SmallStores.filled(0, KEYS, 1))
          .containsAllEntriesOf(SmallStores.filled(2 * KEYS, 3 * KEYS, 1));
      assertThat(SmallStores.content(store.database("other")))
          .isEqualTo(SmallStores.filled(0, KEYS, 2));
    }
  }
}
