package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.DiskStream.DiskAppendFile;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IoErrorsTest {
  private static final Path FILE = Path.of("some.sst");
  private static final Path FULL_DEVICE = Path.of("/dev/full");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "No space left on device",
        "some.sst: No space left on device",
        "Disk quota exceeded",
        "There is not enough space on the disk",
        "Der zugewiesene Plattenplatz (Quota) ist überschritten",
        "Débordement du quota d'espace disque",
        "some.sst: ディスク使用量制限を超過しました"
      })
  void noSpaceIsAFullStore(String message) {
    StoreIoException translated = IoErrors.translate(FILE, "write", new IOException(message));
    assertThat(translated).isInstanceOf(StoreFullException.class);
    assertThat(translated.file()).isEqualTo(FILE);
  }

  @Test
  void everythingElseIsAFailure() {
    for (String message : new String[] {"Input/output error", "Eingabe-/Ausgabefehler", null, ""}) {
      IOException cause = new IOException(message);
      assertThat(IoErrors.translate(FILE, "write", cause))
          .isExactlyInstanceOf(StoreIoException.class)
          .hasMessageContaining("write")
          .hasMessageContaining("some.sst");
      assertThat(IoErrors.translateWrite(FILE, "write", cause))
          .isExactlyInstanceOf(StoreIoException.class);
    }
  }

  private static void writeToFullDevice() throws IOException {
    try (RandomAccessFile stream = new RandomAccessFile(FULL_DEVICE.toFile(), "rw");
        DiskAppendFile file = new DiskAppendFile(FULL_DEVICE, stream)) {
      StoreFullException full =
          catchThrowableOfType(StoreFullException.class, () -> file.append(new byte[10], 0, 10));
      assertThat(full).isNotNull();
      assertThat(file.position()).isZero();
      System.out.println(full.getMessage());
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void deviceThatIsAlwaysFullIsRecognized() throws IOException {
    writeToFullDevice();
  }

  /** A process whose C library speaks German, where it has learned to. */
  static final class German {
    private German() {}

    public static void main(String[] arguments) throws IOException {
      writeToFullDevice();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDeviceIsRecognizedInAnotherLanguage() {
    Map<String, String> environment = Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de");
    try (ChildJvm child = ChildJvm.start(environment, List.of("-Xmx64m"), German.class)) {
      assertThat(child.nextLine()).as("what it recognized").startsWith("cannot write /dev/full: ");
    }
  }
}
