package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DamagedFileIsNamedTest {
  private static final int PAGE = 4096;

  @TempDir Path directory;

  private static void damage(Path file, long offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) offset] ^= 0x10;
    Files.write(file, bytes);
  }

  private static void truncate(Path file, int lost) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - lost));
  }

  private static void assertOpenNames(Path directory, Path file) {
    assertThatThrownBy(
            () -> SmallStores.open(directory, SmallStores.options().openIfDamaged(false).build()))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> assertThat(e.file().getFileName()).isEqualTo(file.getFileName()))
        .hasMessageContaining(file.getFileName().toString());
  }

  /** A store of one SST of many blocks. */
  private Path flushedStore() {
    Path flushed = directory.resolve("flushed");
    try (Store store = SmallStores.open(flushed)) {
      SmallStores.fill(store.database(), 0, 150, 1);
    }
    return SmallStores.files(flushed, ".sst").get(0);
  }

  @Test
  void damagedBlockIsMetByThoseWhoReadItOnly() throws IOException {
    Path file = flushedStore();
    damage(file, 2 * PAGE + 100);
    try (Store store = SmallStores.open(directory.resolve("flushed"))) {
      int failures = 0;
      for (int i = 0; i < 150; i++) {
        byte[] value;
        try {
          value = store.database().get(key(i));
        } catch (CorruptionException e) {
          assertThat(e.file().getFileName()).isEqualTo(file.getFileName());
          assertThat(e.offset()).isBetween(2L * PAGE, 3L * PAGE - 1);
          failures++;
          continue;
        }
        assertThat(value).isEqualTo(SmallStores.value(i, 1));
      }
      assertThat(failures).isBetween(1, 75);
      try (Cursor cursor = store.database().cursor()) {
        assertThatThrownBy(() -> SmallStores.rest(cursor)).isInstanceOf(CorruptionException.class);
      }
      store.database().put(key(1), SmallStores.value(1, 2));
      assertThat(store.database().get(key(1))).isEqualTo(SmallStores.value(1, 2));
    }
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void mergesThatMeetDamageStopButNothingHangs() throws IOException {
    Path file = flushedStore();
    damage(file, 2 * PAGE + 100);
    try (Store store = SmallStores.open(directory.resolve("flushed"))) {
      Database database = store.database();
      for (int i = 0; i < 4; i++) {
        SmallStores.fill(database, 0, 150, 2 + i);
        store.flush();
      }
      store.awaitIdle();
      assertThatThrownBy(database::compact).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(database::compact).isInstanceOf(CorruptionException.class);
      for (int i = 0; i < 150; i++) {
        assertThat(database.get(key(i))).isEqualTo(SmallStores.value(i, 5));
      }
      database.put(key(0), SmallStores.value(0, 9));
      store.flush();
      assertThat(database.get(key(0))).isEqualTo(SmallStores.value(0, 9));
    }
    assertThat(file).exists();
  }

  @Test
  void headerOfAnSst() throws IOException {
    Path file = flushedStore();
    byte[] original = Files.readAllBytes(file);
    for (long offset : new long[] {0, 9, 20}) {
      damage(file, offset);
      // Nothing depends on it: it only repeats what the footer says.
      SmallStores.open(directory.resolve("flushed")).close();
      assertThat(StoreCheck.run(directory.resolve("flushed"), CheckProgress.NONE).findings())
          .singleElement()
          .satisfies(finding -> assertThat(finding.file()).isEqualTo(file));
      Files.write(file, original);
    }
  }

  @Test
  void footerOfAnSst() throws IOException {
    Path file = flushedStore();
    byte[] original = Files.readAllBytes(file);
    for (long offset : new long[] {original.length - 1, original.length - 20}) {
      damage(file, offset);
      assertOpenNames(directory.resolve("flushed"), file);
      Files.write(file, original);
    }
    for (int lost : new int[] {1, PAGE, original.length - 10, original.length}) {
      truncate(file, lost);
      assertOpenNames(directory.resolve("flushed"), file);
      Files.write(file, original);
    }
    SmallStores.open(directory.resolve("flushed")).close();
  }

  @Test
  void missingSst() throws IOException {
    Path file = flushedStore();
    Files.delete(file);
    assertOpenNames(directory.resolve("flushed"), file);
  }

  @Test
  void manifest() throws IOException {
    flushedStore();
    Path flushed = directory.resolve("flushed");
    SmallStores.open(flushed).close();
    Path file = SmallStores.files(flushed, ".manifest").get(0);
    byte[] original = Files.readAllBytes(file);
    for (long offset : new long[] {1, 12, 33, 40, 58}) {
      damage(file, offset);
      assertOpenNames(flushed, file);
      Files.write(file, original);
    }
    truncate(file, original.length - 50);
    assertOpenNames(flushed, file);
    Files.delete(file);
    assertOpenNames(flushed, file);
  }

  @Test
  void current() throws IOException {
    flushedStore();
    Path flushed = directory.resolve("flushed");
    Path file = flushed.resolve("CURRENT");
    byte[] original = Files.readAllBytes(file);
    for (int offset = 0; offset < original.length; offset++) {
      damage(file, offset);
      assertOpenNames(flushed, file);
      Files.write(file, original);
    }
    Files.write(file, new byte[0]);
    assertOpenNames(flushed, file);
    Files.delete(file);
    assertOpenNames(flushed, file);
  }

  @Test
  void logBeforeWhatWasSynced() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      for (int i = 0; i < 40; i++) {
        store.database().put(key(i), SmallStores.value(i, 1), WriteOptions.SYNC);
      }
      SmallStores.copy(store.directory(), crashed);
    }
    Path file = SmallStores.files(crashed, ".wal").get(0);
    byte[] original = Files.readAllBytes(file);
    for (long offset : new long[] {3, 20, 40, 1000}) {
      damage(file, offset);
      assertOpenNames(crashed, file);
      Files.write(file, original);
    }
    try (Store store = SmallStores.open(crashed)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 40, 1));
    }
  }

  @Test
  void tornTailOfTheLogIsNoDamage() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      SmallStores.fill(store.database(), 0, 40, 1);
      SmallStores.copy(store.directory(), crashed);
    }
    Path file = SmallStores.files(crashed, ".wal").get(0);
    damage(file, 40 + endOfZeros(Files.readAllBytes(file)) - 80);
    try (Store store = SmallStores.open(crashed)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 39, 1));
    }
  }

  /** Where the zeros after the last record begin. */
  private static int endOfZeros(byte[] log) {
    int at = log.length;
    while (log[at - 1] == 0) {
      at--;
    }
    return at;
  }
}
