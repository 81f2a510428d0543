package io.sifr.internal.engine.write;

import io.sifr.error.StallTimeoutException;
import io.sifr.internal.state.DatabaseHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time for which one write may still be held back. Used by the thread that writes. */
public final class StallLimit {
  private final Duration most;
  private final long end;

  /** Of a write that begins now; null for one without. */
  public static @Nullable StallLimit of(@Nullable Duration most) {
    return most == null ? null : new StallLimit(most);
  }

  private StallLimit(Duration most) {
    this.most = most;
    this.end = System.nanoTime() + most.toNanos();
  }

  /** Nanoseconds; 0 or less if it may not be held back any more. */
  long leftNanos() {
    return end - System.nanoTime();
  }

  /**
   * What refuses the write.
   *
   * @param awaited what it would have had to wait for, of a database
   */
  StallTimeoutException exceeded(DatabaseHandle database, String awaited) {
    return new StallTimeoutException(database.name(), most, awaited);
  }
}
