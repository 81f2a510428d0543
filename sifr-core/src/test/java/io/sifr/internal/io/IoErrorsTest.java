package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IoErrorsTest {
  private static final Path FILE = Path.of("some.sst");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "No space left on device",
        "some.sst: No space left on device",
        "Disk quota exceeded",
        "There is not enough space on the disk"
      })
  void noSpaceIsAFullStore(String message) {
    StoreIoException translated = IoErrors.translate(FILE, "write", new IOException(message));
    assertThat(translated).isInstanceOf(StoreFullException.class);
    assertThat(translated.file()).isEqualTo(FILE);
  }

  @Test
  void everythingElseIsAFailure() {
    assertThat(IoErrors.translate(FILE, "write", new IOException("Input/output error")))
        .isExactlyInstanceOf(StoreIoException.class)
        .hasMessageContaining("write")
        .hasMessageContaining("some.sst");
    assertThat(IoErrors.translate(FILE, "write", new IOException()))
        .isExactlyInstanceOf(StoreIoException.class);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void deviceThatIsAlwaysFullIsRecognized() throws IOException {
    Path full = Path.of("/dev/full");
    try (DiskAppendFile file = new DiskAppendFile(full, new RandomAccessFile("/dev/full", "rw"))) {
      assertThat(
              catchThrowableOfType(
                  StoreFullException.class, () -> file.append(new byte[10], 0, 10)))
          .isNotNull();
      assertThat(file.position()).isZero();
    }
  }
}
