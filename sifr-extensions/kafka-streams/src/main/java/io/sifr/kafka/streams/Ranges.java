package io.sifr.kafka.streams;

import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ranges of keys as Kafka Streams says them: both ends included, null for no end. */
final class Ranges {
  private static final Logger LOG = LoggerFactory.getLogger(Ranges.class);

  /**
   * The warning when a range ends before it begins: word for word what users know from the stores
   * of Kafka Streams, and look for.
   */
  private static final String WARNING =
      "Returning empty iterator for fetch with invalid key range: from > to. This may be due to"
          + " range arguments set in the wrong order, or serdes that don't preserve ordering when"
          + " lexicographically comparing the serialized bytes. Note that the built-in numerical"
          + " serdes do not follow this for negative numbers";

  private Ranges() {}

  static KeySpan of(@Nullable Bytes from, @Nullable Bytes to) {
    return KeySpan.between(from == null ? null : from.get(), to == null ? null : to.get());
  }

  /** Whether there can be keys between two; if not, that is logged. */
  static boolean isRange(@Nullable Bytes from, @Nullable Bytes to) {
    boolean isRange = from == null || to == null || from.compareTo(to) <= 0;
    if (!isRange) {
      LOG.warn(WARNING);
    }
    return isRange;
  }

  /** Whether a key lies between two others. */
  static boolean contains(@Nullable Bytes from, @Nullable Bytes to, Bytes key) {
    return (from == null || key.compareTo(from) >= 0) && (to == null || key.compareTo(to) <= 0);
  }
}
