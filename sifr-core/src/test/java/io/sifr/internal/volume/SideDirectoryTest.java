package io.sifr.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.io.AppendFile;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Names are durable when a sync has returned, whatever other threads do. */
class SideDirectoryTest {
  private static final Path FAST = Path.of("/fast");

  private static SideDirectory side(ForwardingFileSystem files) {
    return new SideDirectory(files, Tier.FAST, FAST, 1 << 20, 1 << 10);
  }

  @Test
  void whoFindsASyncUnderWayWaitsForIt() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    AtomicBoolean isSynced = new AtomicBoolean();
    SideDirectory side =
        side(
            new ForwardingFileSystem(CrashDisk.with(FAST).fileSystem()) {
              @Override
              public void syncDirectory(Path directory) {
                begun.countDown();
                await(ends);
                super.syncDirectory(directory);
                isSynced.set(true);
              }
            });
    Thread first = new Thread(side::sync);
    first.start();
    begun.await();
    AtomicBoolean wasSynced = new AtomicBoolean();
    Thread second =
        new Thread(
            () -> {
              side.sync();
              wasSynced.set(isSynced.get());
            });
    second.start();
    Waiting.until(
        "the second waits, or is done",
        () ->
            second.getState() == Thread.State.BLOCKED
                || second.getState() == Thread.State.TERMINATED);
    ends.countDown();
    first.join();
    second.join();
    assertThat(wasSynced).isTrue();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFileThatIsCreatedDuringASyncIsSyncedByTheNext() {
    AtomicInteger syncs = new AtomicInteger();
    SideDirectory[] side = new SideDirectory[1];
    side[0] =
        side(
            new ForwardingFileSystem(CrashDisk.with(FAST).fileSystem()) {
              @Override
              public AppendFile create(Path file) {
                side[0].sync(); // as another thread does, just before the name is there
                return super.create(file);
              }

              @Override
              public void syncDirectory(Path directory) {
                syncs.incrementAndGet();
                super.syncDirectory(directory);
              }
            });
    side[0].create(FAST.resolve("000000000001.sst")).close();
    assertThat(syncs).hasValue(1);
    side[0].sync();
    assertThat(syncs).hasValue(2);
    side[0].sync();
    assertThat(syncs).hasValue(2);
  }
}
