package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ChildJvm;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process killed in the middle of appending loses nothing it has been told was appended. */
@Tag("process")
@Tag("disk")
@Tag("jvm")
class WalKilledProcessTest {
  private static final int LINES_BEFORE_THE_KILL = 3000;

  @TempDir Path directory;

  /** Appends until it is killed, and tells each sequence number that was. */
  static final class Appender {
    public static void main(String[] arguments) {
      AtomicLong fileNumbers = new AtomicLong();
      ExecutorService background = Executors.newSingleThreadExecutor();
      WalWriter writer =
          new WalWriter(
              new WalParts(
                  new DiskFileSystem(),
                  Path.of(arguments[0]),
                  fileNumbers::incrementAndGet,
                  64 << 10,
                  LogAccess.valueOf(arguments[1]),
                  background),
              0);
      for (long sequence = 1; ; sequence++) {
        byte[] operations = operations(sequence);
        writer.append(sequence, 1, operations, 0, operations.length);
        System.out.println(sequence);
      }
    }
  }

  private static byte[] operations(long sequence) {
    Random random = new Random(sequence);
    byte[] operations = new byte[random.nextInt(400)];
    random.nextBytes(operations);
    return operations;
  }

  @ParameterizedTest
  @EnumSource
  void everythingAppendedIsThere(LogAccess access) {
    long told = 0;
    try (ChildJvm child = ChildJvm.start(Appender.class, directory.toString(), access.toString())) {
      int lines = 0;
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        told = Long.parseLong(line);
        if (++lines == LINES_BEFORE_THE_KILL) {
          child.kill();
        }
      }
    }
    assertThat(told).isGreaterThanOrEqualTo(LINES_BEFORE_THE_KILL);

    AtomicLong last = new AtomicLong();
    WalReplay.replay(
        new DiskFileSystem(),
        directory,
        0,
        (first, count, operations, offset, length) -> {
          assertThat(first).isEqualTo(last.incrementAndGet());
          assertThat(Arrays.copyOfRange(operations, offset, offset + length))
              .isEqualTo(operations(first));
        });
    assertThat(last.get()).isBetween(told, told + 1);
  }
}
