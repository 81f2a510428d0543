package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log of the size that users have, whose last segment still holds the records of its first life
 * after its end, ends there: what is left of them must not be taken for a reason to refuse it.
 */
class WalFullSizeRecyclingTest {
  private static final int SEGMENT_BYTES = 16 << 20;

  @Test
  void whatARecycledSegmentHeldBeforeDoesNotKeepTheLogFromOpening(@TempDir Path directory)
      throws Exception {
    NoSyncFileSystem files = new NoSyncFileSystem(new DiskFileSystem());
    Path crashed = Files.createDirectory(directory.resolve("crashed"));
    Path log = Files.createDirectory(directory.resolve("log"));
    Random random = new Random(5);
    byte[] operations = new byte[200];
    long sequence = 1;
    AtomicLong numbers = new AtomicLong();
    try (WalWriter writer =
        new WalWriter(
            new WalParts(
                files,
                log,
                numbers::incrementAndGet,
                SEGMENT_BYTES,
                LogAccess.MAPPED,
                Runnable::run),
            0)) {
      // Three segments; the first is released when the second is full, and comes back as a later
      // one.
      while (writer.bytesAppended() < 3L * SEGMENT_BYTES + SEGMENT_BYTES / 8) {
        random.nextBytes(operations);
        long segment = writer.append(sequence, 1, operations, 0, 1 + random.nextInt(200));
        writer.release(segment);
        sequence++;
      }
      for (String name : files.list(log)) {
        Files.copy(log.resolve(name), crashed.resolve(name));
      }
    }
    WalReplay.Result result =
        WalReplay.replay(files, crashed, 0, (first, count, array, offset, length) -> {});
    assertThat(result.lastSequence()).isEqualTo(sequence - 1);
    assertThat(result.discardedRecords()).isZero();
  }
}
