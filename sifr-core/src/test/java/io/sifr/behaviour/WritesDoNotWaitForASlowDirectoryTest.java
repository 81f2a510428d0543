package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StallTimeoutException;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.StoppedClock;
import io.sifr.testing.ThrottledFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The rows of a store with a fast directory take writes while its own directory takes hardly any:
 * here the SSTs in it get no byte after the first ones, because the clock stands still.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WritesDoNotWaitForASlowDirectoryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FAST = Path.of("/fast");
  private static final int FAST_BYTES = 512 << 10;

  /** Of FAST_BYTES, when rows are compacted, and when no more are taken. */
  private static final double COMPACTED = 0.6;

  private static final double FULL = 0.9;

  private static final int AT_ONCE = 100;

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final StoppedClock clock = new StoppedClock();
  private final ThrottledFileSystem files =
      new ThrottledFileSystem(
          disk.fileSystem(),
          file -> file.startsWith(DIRECTORY) && file.toString().endsWith(".sst"),
          1,
          clock);

  private List<Long> rows() {
    return FileKind.SST.numbersIn(disk.fileSystem(), FAST);
  }

  /** As long as none is deleted. */
  private long rowBytes() {
    return rows().stream()
        .mapToLong(number -> disk.fileSystem().size(FileKind.SST.path(FAST, number)))
        .sum();
  }

  @Test
  void rowsAreWrittenWhileACompactionWaits() {
    StoreOptions options = SmallStores.options().fastBytes(FAST_BYTES).fastDirectory(FAST).build();
    try (Store store = TestStores.open(DIRECTORY, options, files)) {
      Database database = store.database();
      int written = 0;
      while (rowBytes() < COMPACTED * FAST_BYTES) {
        fill(database, written, written + AT_ONCE, 1);
        written += AT_ONCE;
        store.flush();
      }
      clock.awaitWaiting(); // the compaction of these rows does
      long before = rowBytes();
      int compacted = rows().size();
      int more = written;
      while (rowBytes() < FULL * FAST_BYTES - options.writeBufferBytes()) {
        fill(database, more, more + AT_ONCE, 1);
        more += AT_ONCE;
        store.flush();
      }
      assertThat(rowBytes()).isGreaterThan(before);
      assertThat(content(database)).isEqualTo(filled(0, more, 1));
      clock.letGo();
      store.awaitIdle();
      Waiting.until("the rows are deleted", () -> rows().size() < compacted);
      assertThat(content(database)).isEqualTo(filled(0, more, 1));
    }
  }

  @Test
  void withoutAFastDirectoryTheyWait() {
    StoreOptions options = SmallStores.options().build();
    WriteOptions withoutWaiting = WriteOptions.builder().maxStall(Duration.ZERO).build();
    try (Store store = TestStores.open(DIRECTORY, options, files)) {
      Database database = store.database();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  database.put(SmallStores.key(i), SmallStores.value(i, 1), withoutWaiting);
                }
              })
          .isInstanceOf(StallTimeoutException.class);
      clock.awaitWaiting();
      clock.letGo();
    }
  }
}
