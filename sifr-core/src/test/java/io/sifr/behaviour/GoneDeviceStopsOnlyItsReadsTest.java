package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.behaviour.VanishingDevice.Sign;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnreadableException;
import io.sifr.event.Metric;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When another device of an open store vanishes, only who needs what is there notices. */
class GoneDeviceStopsOnlyItsReadsTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final Path COLD = Path.of("/cold");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .checkBytesPerSecond(0)
        .blockCacheBytes(0)
        .readMode(ReadMode.POSITIONAL);
  }

  private static StoreOptions cold() {
    return options().coldDirectory(COLD).build();
  }

  private static StoreOptions fast() {
    return options().fastDirectory(FAST).fastBytes(1 << 20).build();
  }

  private boolean hasSsts(Path directory) {
    return !FileKind.SST.numbersIn(disk.fileSystem(), directory).isEmpty();
  }

  private static void assertGone(Database database, int number, Path directory, String role) {
    assertThatThrownBy(() -> database.get(key(number)))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("cannot read " + directory + "/")
        .hasMessageContaining("the " + role + " " + directory + " is gone or cannot be read")
        .hasMessageContaining("once it is back, without opening the store anew");
  }

  @ParameterizedTest
  @EnumSource
  void aColdOneMayVanish(Sign sign) {
    VanishingDevice files = new VanishingDevice(disk.fileSystem(), COLD);
    try (Store store = TestStores.open(DIRECTORY, cold(), files)) {
      Database database = store.database();
      fill(database, 0, 1000, 1);
      database.compact();
      assertThat(hasSsts(COLD)).isTrue();
      assertThat(database.get(key(5))).isEqualTo(value(5, 1)); // that SST is open
      fill(database, 2000, 2100, 1);
      store.flush();
      assertThat(hasSsts(DIRECTORY)).isTrue();

      files.vanish(sign);
      for (int number : new int[] {5, 995}) {
        assertGone(database, number, COLD, "cold directory");
      }
      assertThat(database.get(key(2005))).isEqualTo(value(2005, 1));
      fill(database, 0, 3, 2); // covers what lies there
      fill(database, 3000, 4000, 1);
      store.flush();
      assertThat(database.get(key(2))).isEqualTo(value(2, 2));
      assertThat(database.get(key(3999))).isEqualTo(value(3999, 1));
      long coldBytes = store.statistics().get(Metric.COLD_SST_BYTES);
      assertThat(coldBytes).isPositive();
      assertThat(store.statistics().get(Metric.DISK_BYTES)).isGreaterThan(coldBytes);

      files.comeBack();
      assertThat(database.get(key(5))).isEqualTo(value(5, 1));
      assertThat(database.get(key(995))).isEqualTo(value(995, 1));
      store.flush();
      assertThat(content(database)).hasSize(1000 + 100 + 1000);
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
    }
    try (Store store = TestStores.open(DIRECTORY, cold(), files)) {
      assertThat(content(store.database())).hasSize(2100).containsAllEntriesOf(filled(3, 1000, 1));
    }
  }

  /** The log of a store lies there, too, so it is not written to meanwhile. */
  @ParameterizedTest
  @EnumSource
  void aFastOneMayVanish(Sign sign) {
    VanishingDevice files = new VanishingDevice(disk.fileSystem(), FAST);
    try (Store store = TestStores.open(DIRECTORY, fast(), files)) {
      Database database = store.database();
      fill(database, 2000, 3000, 1);
      database.compact();
      assertThat(hasSsts(DIRECTORY)).isTrue();
      fill(database, 0, 500, 1);
      store.flush();
      assertThat(hasSsts(FAST)).isTrue();
      assertThat(database.get(key(5))).isEqualTo(value(5, 1)); // that SST is open

      files.vanish(sign);
      for (int number : new int[] {5, 495}) {
        assertGone(database, number, FAST, "fast directory");
      }
      assertThat(database.get(key(2005))).isEqualTo(value(2005, 1));

      files.comeBack();
      assertThat(content(database)).hasSize(1500).containsAllEntriesOf(filled(0, 500, 1));
      fill(database, 500, 600, 1);
      store.flush();
      assertThat(content(database)).hasSize(1600);
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
    }
  }

  /** Neither is asked for what lies in the other. */
  @ParameterizedTest
  @ValueSource(strings = {"/fast", "/cold"})
  void whatLiesInTheOtherOneIsRead(String gone) {
    VanishingDevice files = new VanishingDevice(disk.fileSystem(), Path.of(gone));
    StoreOptions both =
        options().fastDirectory(FAST).fastBytes(1 << 20).coldDirectory(COLD).build();
    try (Store store = TestStores.open(DIRECTORY, both, files)) {
      fill(store.database(), 2000, 3000, 1);
      store.database().compact();
      fill(store.database(), 0, 500, 1);
      store.flush();
      assertThat(hasSsts(FAST)).isTrue();
      assertThat(hasSsts(COLD)).isTrue();
    }
    try (Store store = TestStores.open(DIRECTORY, both, files)) {
      files.vanish(Sign.ERRORS);
      int served = gone.equals("/fast") ? 2005 : 5;
      assertThat(store.database().get(key(served))).isEqualTo(value(served, 1));
      files.comeBack();
      assertThat(content(store.database())).hasSize(1500);
    }
  }

  /** What was never opened cannot be opened, and is not called missing. */
  @ParameterizedTest
  @EnumSource
  void whatIsReadForTheFirstTimeIsNotMissing(Sign sign) {
    VanishingDevice files = new VanishingDevice(disk.fileSystem(), FAST);
    fillFast(files);
    try (Store store = TestStores.open(DIRECTORY, fast(), files)) {
      files.vanish(sign);
      assertGone(store.database(), 5, FAST, "fast directory");
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isPositive();
      files.comeBack();
      assertThat(content(store.database())).isEqualTo(filled(0, 500, 1));
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
    }
  }

  private static void fillFast(StoreFileSystem files) {
    try (Store store = TestStores.open(DIRECTORY, fast(), files)) {
      fill(store.database(), 0, 500, 1);
      store.flush();
    }
  }

  /** That is damage, as elsewhere. */
  @Test
  void aFileThatIsMissingIsNoMissingDevice() {
    fillFast(disk.fileSystem());
    try (Store store = TestStores.open(DIRECTORY, fast(), disk.fileSystem())) {
      FileKind.SST
          .numbersIn(disk.fileSystem(), FAST)
          .forEach(number -> disk.fileSystem().delete(FileKind.SST.path(FAST, number)));
      assertThatThrownBy(() -> store.database().get(key(5)))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("the file is missing")
          .hasMessageNotContaining("is gone");
    }
  }
}
