package io.sifr.error;

import java.time.Duration;

/**
 * A write was not made, because it would have been held back for longer than {@link
 * io.sifr.config.WriteOptions#maxStall} allows. Nothing of it is in the store, and the store is
 * sound: try again later, or without a limit.
 */
public final class StallTimeoutException extends SifrException {
  private static final long serialVersionUID = 1L;

  private final String database;
  private final Duration maxStall;

  /**
   * @param database name of the database whose background work is behind
   * @param maxStall how long the write might have been held back
   * @param awaited what it would have had to wait for
   */
  public StallTimeoutException(String database, Duration maxStall, String awaited) {
    super(
        "nothing was written: it would take longer than %s ms (maxStall) until database %s %s"
            .formatted(maxStall.toNanos() / 1e6, database, awaited));
    this.database = database;
    this.maxStall = maxStall;
  }

  /** Name of the database whose background work is behind. */
  public String database() {
    return database;
  }

  /** How long the write might have been held back. */
  public Duration maxStall() {
    return maxStall;
  }
}
