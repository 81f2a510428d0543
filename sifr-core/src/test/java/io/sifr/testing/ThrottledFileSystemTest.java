package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.io.AppendFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottledFileSystemTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final long SECOND = 1_000_000_000;

  /** Goes on by itself as far as it is awaited. */
  private static final class PatientClock implements ThrottledFileSystem.Clock {
    private final List<Long> awaited = new ArrayList<>();
    private long now;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void awaitUntil(long nanos) {
      awaited.add(nanos);
      now = Math.max(now, nanos);
    }
  }

  private final PatientClock clock = new PatientClock();
  private final ThrottledFileSystem files =
      new ThrottledFileSystem(
          CrashDisk.with(DIRECTORY).fileSystem(),
          file -> file.toString().endsWith(".slow"),
          100,
          clock);

  @Test
  void allSlowFilesShareTheBytesOfASecond() {
    try (AppendFile one = files.create(DIRECTORY.resolve("1.slow"));
        AppendFile other = files.createDirect(DIRECTORY.resolve("2.slow"))) {
      one.append(new byte[300], 0, 200);
      other.append(ByteBuffer.allocate(50));
      one.append(new byte[1], 0, 1);
    }
    assertThat(clock.awaited).containsExactly(0L, 2 * SECOND, 2 * SECOND + SECOND / 2);
  }

  @Test
  void whatWasNotUsedIsNotSaved() {
    clock.now = 60 * SECOND;
    try (AppendFile file = files.create(DIRECTORY.resolve("1.slow"))) {
      file.append(new byte[100], 0, 100);
      file.append(new byte[100], 0, 100);
    }
    assertThat(clock.awaited).containsExactly(60 * SECOND, 61 * SECOND);
  }

  @Test
  void othersDoNotWait() {
    try (AppendFile file = files.create(DIRECTORY.resolve("1.fast"))) {
      file.append(new byte[1000], 0, 1000);
      file.append(new byte[1000], 0, 1000);
    }
    assertThat(clock.awaited).isEmpty();
    assertThat(files.size(DIRECTORY.resolve("1.fast"))).isEqualTo(2000);
  }
}
