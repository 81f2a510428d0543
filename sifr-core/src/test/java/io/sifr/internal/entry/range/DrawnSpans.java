package io.sifr.internal.entry.range;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** Makes {@link DeadSpans} for tests. */
public final class DrawnSpans {
  private DrawnSpans() {}

  /** A span in which a reader at a sequence number has found nothing. */
  public static DeadSpans dead(String from, String to, long sequence) {
    return DeadSpans.NONE.and(from.getBytes(US_ASCII), to.getBytes(US_ASCII), sequence);
  }
}
