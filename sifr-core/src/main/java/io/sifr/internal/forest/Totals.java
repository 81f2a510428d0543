package io.sifr.internal.forest;

/**
 * Sums over the life of a store, kept in the manifest so that they outlive the process.
 *
 * @param userBytes bytes of keys and values given to put and delete
 * @param walBytes bytes appended to the log
 * @param flushBytes bytes of SSTs written by flushes
 * @param compactionBytes bytes of SSTs written by compactions
 * @param movedBytes bytes of SSTs that changed stage by metadata alone
 * @param stallMillis milliseconds writers were slowed or stopped
 */
public record Totals(
    long userBytes,
    long walBytes,
    long flushBytes,
    long compactionBytes,
    long movedBytes,
    long stallMillis) {
  /** The totals of a new store. */
  public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);
}
