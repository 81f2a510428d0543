package io.sifr.internal.forest;

/**
 * Limits on the log kept for change readers, beyond what recovery needs. Segments that exceed one
 * of the two are released, unless SSTs may be lost that have the same writes.
 *
 * @param bytes most bytes of its segments; 0 for no such limit
 * @param seconds for how long they are retained; 0 for no such limit
 */
public record Retention(long bytes, long seconds) {
  /** Nothing is retained. */
  public static final Retention NONE = new Retention(0, 0);

  /**
   * Nothing but what is needed because SSTs may be lost, see {@link Catalog#firstLogged}, which is
   * retained in any case.
   */
  public static final Retention FOR_SSTS = new Retention(1, 0);

  /** Whether nothing is retained. */
  public boolean isNone() {
    return bytes == 0 && seconds == 0;
  }
}
