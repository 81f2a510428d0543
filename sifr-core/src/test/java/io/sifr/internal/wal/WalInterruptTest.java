package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Threads that write may be interrupted at any moment: the log goes on, and so does the interrupt.
 */
class WalInterruptTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void threadInterruptedAgainAndAgainAppendsSyncsReleasesAndReplays(LogAccess access)
      throws Exception {
    WalTesting log = new WalTesting(new DiskFileSystem(), directory);
    FutureTask<Boolean> work =
        new FutureTask<>(
            () -> {
              try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
                for (int i = 0; i < 200; i++) {
                  log.append(writer, 500);
                  if (i % 4 == 0) {
                    writer.sync();
                  }
                  if (i == 100) {
                    writer.release(writer.activeSegment());
                  }
                }
                Thread.currentThread().interrupt();
                log.append(writer, 7000);
                writer.sync();
                assertThat(log.replay(writer.segments()[0]).result().lastSequence())
                    .isEqualTo(log.lastSequence());
                return Thread.currentThread().isInterrupted();
              }
            });
    Thread thread = new Thread(work, "interrupted-writer");
    thread.start();
    while (!work.isDone()) {
      thread.interrupt();
      for (int i = 0; i < 2000; i++) {
        Thread.onSpinWait();
      }
    }
    assertThat(work.get()).isTrue();
  }
}
