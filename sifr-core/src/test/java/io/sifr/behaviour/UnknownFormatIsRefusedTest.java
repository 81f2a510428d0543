package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.format.Checksums;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of a newer version is not damaged: the user is told to use that version. */
class UnknownFormatIsRefusedTest {
  private static final int VERSION_AT = 6;
  private static final int CRC_AT = 28;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {".wal", ".manifest"})
  void ofEveryFileThatIsReadFromItsHeaderOn(String suffix) throws IOException {
    Path crashed = crashedStore();
    Path file = SmallStores.files(crashed, suffix).get(0);
    byte[] original = Files.readAllBytes(file);
    ByteBuffer patched = ByteBuffer.wrap(original.clone());
    patched.putShort(VERSION_AT, (short) 2);
    CRC32C crc = new CRC32C();
    crc.update(patched.array(), 0, CRC_AT);
    patched.putInt(CRC_AT, (int) crc.getValue());
    Files.write(file, patched.array());
    assertRefused(crashed, file);
    Files.write(file, original);
    assertOpensWhole(crashed);
  }

  @Test
  void ofAnSstWhichIsOpenedByItsFooter() throws IOException {
    Path crashed = crashedStore();
    Path file = SmallStores.files(crashed, ".sst").get(0);
    byte[] original = Files.readAllBytes(file);
    int footer = original.length - 60;
    ByteBuffer patched = ByteBuffer.wrap(original.clone());
    patched.putShort(footer + 48, (short) 2);
    int crc = Checksums.crc32c(patched, footer, 56);
    patched.putInt(footer + 56, Checksums.bind(crc, patched.getLong(footer + 40), footer));
    Files.write(file, patched.array());
    assertThatThrownBy(
            () -> SmallStores.open(crashed, SmallStores.options().openIfDamaged(false).build()))
        .satisfies(e -> assertNames(e, file));
    // Opening does not look at SSTs: else it is told by the first read.
    try (Store store = SmallStores.open(crashed)) {
      assertThatThrownBy(() -> store.database().get(SmallStores.key(0)))
          .satisfies(e -> assertNames(e, file));
      assertThatThrownBy(() -> SmallStores.content(store.database()))
          .satisfies(e -> assertNames(e, file));
    }
    Files.write(file, original);
    assertOpensWhole(crashed);
  }

  @Test
  void ofTheFileCurrent() throws IOException {
    Path crashed = crashedStore();
    Path file = crashed.resolve("CURRENT");
    String original = Files.readString(file);
    String newer = original.replace("sifr 1 ", "sifr 2 ");
    CRC32C crc = new CRC32C();
    int textBytes = newer.indexOf(" crc ");
    crc.update(SmallStores.bytes(newer), 0, textBytes);
    Files.writeString(
        file, newer.substring(0, textBytes) + String.format(" crc %08x%n", crc.getValue()));
    assertRefused(crashed, file);
    Files.writeString(file, original);
    assertOpensWhole(crashed);
  }

  private Path crashedStore() throws IOException {
    Path crashed = directory.resolve("crashed");
    try (Store store = SmallStores.open(directory.resolve("store"))) {
      SmallStores.fill(store.database(), 0, 50, 1);
      store.flush();
      SmallStores.fill(store.database(), 50, 100, 1);
      store.awaitIdle();
      SmallStores.copy(store.directory(), crashed);
    }
    return crashed;
  }

  private static void assertRefused(Path directory, Path file) {
    assertThatThrownBy(() -> Store.open(directory)).satisfies(e -> assertNames(e, file));
  }

  private static void assertNames(Throwable thrown, Path file) {
    assertThat(thrown)
        .isInstanceOfSatisfying(
            UnsupportedFormatException.class,
            e -> assertThat(e.file().getFileName()).isEqualTo(file.getFileName()))
        .hasMessageContaining("supported: ");
  }

  private static void assertOpensWhole(Path directory) {
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 100, 1));
    }
  }
}
