package io.sifr.internal.readonly;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.testing.CrashDisk;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HeldFilesTest {
  private static final Path DIRECTORY = Path.of("/store");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);

  private static Path values(long number) {
    return FileKind.VALUES.path(DIRECTORY, number);
  }

  /** A power failure may have taken a file to which only the lost end of the log refers. */
  @Test
  void thatOneIsMissingKeepsNoneOfTheOthersAway() {
    try (AppendFile file = disk.fileSystem().create(values(2))) {
      file.append(new byte[100], 0, 100);
    }
    Set<Path> wanted = new LinkedHashSet<>(List.of(values(1), values(2), values(3)));
    try (HeldFiles held = new HeldFiles()) {
      assertThat(held.holdMore(disk.fileSystem(), wanted)).isFalse();
      assertThat(held.paths()).containsExactly(values(2));
      assertThat(held.holdMore(disk.fileSystem(), Set.of(values(2)))).isTrue();
    }
  }
}
