package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WorkMonitorTest {
  /** A caller of compact may be interrupted; a pause that returns at once would be a loop. */
  @Test
  void anInterruptedThreadPausesTooAndStaysInterrupted() throws InterruptedException {
    WorkMonitor monitor = new WorkMonitor(new FirstFailure(Path.of("store")));
    AtomicBoolean stillInterrupted = new AtomicBoolean();
    Thread pausing =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              var unused = monitor.pause(TimeUnit.DAYS.toNanos(1), () -> false);
              stillInterrupted.set(Thread.currentThread().isInterrupted());
            });
    pausing.start();
    Waiting.until("it pauses", () -> pausing.getState() == Thread.State.TIMED_WAITING);
    monitor.changed();
    pausing.join();
    assertThat(stillInterrupted).isTrue();
  }
}
