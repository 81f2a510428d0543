package io.sifr.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FullDiskTest {
  private static final Path FILE = Path.of("store", "some.sst");
  private static final String GERMAN = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";

  private final IOException failure = new IOException("some.sst: " + GERMAN);
  private final IOException broken = new IOException("Eingabe-/Ausgabefehler");

  private static FullDisk disk(@Nullable String ownMessage, long usableBytes) {
    return new FullDisk(() -> ownMessage, directory -> usableBytes);
  }

  @Test
  void theTextOfThisProcessIsRecognizedInEveryLanguage() {
    assertThat(disk(GERMAN, Long.MAX_VALUE).isSaidBy(failure)).isTrue();
    assertThat(disk(GERMAN, Long.MAX_VALUE).isSaidBy(broken)).isFalse();
    assertThat(disk(GERMAN, Long.MAX_VALUE).isSaidBy(new IOException())).isFalse();
    assertThat(disk(null, Long.MAX_VALUE).isSaidBy(failure)).isFalse();
  }

  @Test
  void theTextIsLearnedWhenItIsFirstNeededAndOnce() {
    AtomicInteger asked = new AtomicInteger();
    FullDisk disk =
        new FullDisk(() -> asked.incrementAndGet() < 3 ? null : GERMAN, directory -> 1L << 40);
    assertThat(disk.isSaidBy(new IOException("No space left on device"))).isTrue();
    assertThat(asked).hasValue(0);
    assertThat(disk.isSaidBy(failure)).isFalse();
    assertThat(disk.isSaidBy(failure)).isFalse();
    assertThat(disk.isSaidBy(failure)).isTrue();
    assertThat(disk.isSaidBy(failure)).isTrue();
    assertThat(asked).hasValue(3);
  }

  @Test
  void aFileSystemWithoutSpaceIsFullWhateverItSays() {
    assertThat(disk(null, 0).isFound(FILE)).isTrue();
    assertThat(disk(null, (1 << 20) - 1).isFound(FILE)).isTrue();
    assertThat(disk(null, 1 << 20).isFound(FILE)).isFalse();
  }

  @Test
  void itsDirectoryIsAsked() {
    FullDisk disk =
        new FullDisk(
            () -> null,
            directory -> directory.equals(FILE.toAbsolutePath().getParent()) ? 0 : 1L << 40);
    assertThat(disk.isFound(FILE)).isTrue();
    assertThat(disk.isFound(Path.of("some.sst"))).isFalse();
  }

  @Test
  void aDirectoryThatIsNotThereIsNotFull() {
    assertThat(FullDisk.OF_THIS_PLATFORM.isFound(Path.of("no", "such", "directory", "some.sst")))
        .isFalse();
  }
}
