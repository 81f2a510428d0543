package io.sifr.kafka.streams;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The largest time of a record that a store has seen, and the clock by which its values expire.
 *
 * <p>The clock shows what was committed last, so that it does not go back after a crash: what has
 * expired may be gone, and must not be missed by what was to expire with it and is still there.
 *
 * <p>Thread-safe; only the task changes it.
 */
final class StreamTime implements InstantSource {
  static final long NONE = -1;

  private volatile long observed = NONE;
  private volatile long committed = NONE;

  /** The largest time that was seen, {@link #NONE} before the first. */
  long observed() {
    return observed;
  }

  /** The largest time that was committed, {@link #NONE} before the first. */
  long committed() {
    return committed;
  }

  void observe(long time) {
    if (time > observed) {
      observed = time;
    }
  }

  /** Called when the store has a time durably. */
  void committed(long time) {
    observe(time);
    committed = Math.max(committed, time);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    return Math.max(0, committed);
  }
}
