package io.sifr.inspect.salvage;

import com.google.common.collect.BoundType;
import com.google.common.collect.Range;
import io.sifr.inspect.Finding;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A {@link LostPiece} in the making. */
final class Loss {
  /** An unknown number. */
  static final long UNKNOWN = -1;

  private final Finding finding;
  private final long bytes;
  private @Nullable String database;
  private Range<Key> keys = Range.all();
  private long entries = UNKNOWN;
  private long maxSequence = Trailer.MAX_SEQUENCE;
  private long doubtful = UNKNOWN;

  /** A key of the range that has lost no newer version; null when there is none. */
  private @Nullable Key certainKey;

  Loss(Path file, long offset, long bytes, String what) {
    this.finding = new Finding(file, offset, what);
    this.bytes = bytes;
  }

  /** Sets the approximate number of lost entries. */
  Loss entries(long count) {
    entries = count;
    return this;
  }

  /** Sets the range of keys of the lost entries, and their largest possible sequence number. */
  Loss keys(String inDatabase, Range<Key> range, long largestSequence) {
    database = inDatabase;
    keys = range;
    maxSequence = largestSequence;
    doubtful = 0;
    return this;
  }

  /** Sets a key of the range that can have lost only versions older than those found. */
  Loss certain(byte @Nullable [] key) {
    certainKey = key == null ? null : Key.of(key);
    return this;
  }

  @Nullable String database() {
    return database;
  }

  /** Whether a key lies in the range. */
  boolean mayHold(Key key) {
    return keys.contains(key);
  }

  /** The first key of the range; null: it begins with the first of all. */
  byte @Nullable [] firstKey() {
    if (!keys.hasLowerBound()) {
      return null;
    }
    byte[] bound = keys.lowerEndpoint().bytes();
    return keys.lowerBoundType() == BoundType.CLOSED ? bound : Bytes.successor(bound);
  }

  /** Counts an entry that lies in the range, if it may be older than one that was lost. */
  void rescued(Key key, long sequence) {
    if (sequence < maxSequence && !key.equals(certainKey)) {
      doubtful++;
    }
  }

  LostPiece toPiece() {
    return new LostPiece(finding, bytes, database, firstKey(), Key.end(keys), entries, doubtful);
  }
}
