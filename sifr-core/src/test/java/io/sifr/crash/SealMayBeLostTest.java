package io.sifr.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Changes;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Change;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.background.BackgroundCrashPoint;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.LogCrashPoint;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.Gate;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The log moves on to another segment while a flush of all that is in it is about to be committed:
 * all records are durable then, so nothing is synced, and a power failure may take the seal of the
 * segment that is retained.
 */
@Tag("crash")
class SealMayBeLostTest {
  private static final Path DIRECTORY = Path.of("/data/store");
  private static final int SEGMENT_BYTES = 16 << 10;
  private static final int ENTRIES = 8;
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .logSegmentBytes(SEGMENT_BYTES)
          .retainedLogBytes(1 << 30)
          .retainedLogSeconds(0)
          .build();

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final Gate flush = new Gate();
  private final CompletableFuture<FrozenDisk> image = new CompletableFuture<>();

  /** Freezes the disk when the flush is committed, which waits for the log to have moved on. */
  private final class Meeting extends ForwardingFileSystem {
    Meeting(StoreFileSystem fileSystem) {
      super(fileSystem);
    }

    @Override
    public void reached(CrashPoint point) {
      super.reached(point);
      if (image.isDone()) {
        return;
      }
      if (point == LogCrashPoint.LOG_ROLLED) {
        flush.open();
        FrozenDisk unused = image.join();
      } else if (point == BackgroundCrashPoint.FLUSH_BEGUN) {
        flush.pass();
      } else if (point == BackgroundCrashPoint.FLUSH_COMMITTED) {
        image.complete(disk.freeze());
      }
    }
  }

  @Test
  void nothingMissesIt() {
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, new Meeting(disk.fileSystem()))) {
      for (int i = 0; i < ENTRIES; i++) {
        store.database().put(key(i), new byte[1000], WriteOptions.SYNC);
      }
      flush.close();
      CompletableFuture<Void> flushed = CompletableFuture.runAsync(store::flush);
      flush.awaitArrival();
      store.database().put(key(ENTRIES), new byte[SEGMENT_BYTES / 2]);
      flushed.join();
    }
    for (int seed = 0; seed < 20; seed++) {
      check(image.join().crash(new Random(seed)), "seed " + seed);
    }
  }

  private static byte[] key(int i) {
    return ("key" + i).getBytes(US_ASCII);
  }

  private static void check(CrashDisk left, String which) {
    assertThat(TestChecks.run(left.fileSystem(), DIRECTORY).findings())
        .as(which)
        .allMatch(finding -> finding.what().endsWith("the next opening deletes it"));
    try (Store store = TestStores.open(DIRECTORY, OPTIONS, left.fileSystem());
        Changes changes = store.changes(1)) {
      for (int i = 0; i < ENTRIES; i++) {
        assertThat(changes.next()).as(which).isInstanceOf(Change.Write.class);
      }
    }
  }
}
