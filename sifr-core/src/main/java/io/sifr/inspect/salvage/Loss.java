package io.sifr.inspect.salvage;

import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A {@link LostPiece} in the making. */
final class Loss {
  /** An unknown number. */
  static final long UNKNOWN = -1;

  private final Path file;
  private final long offset;
  private final long bytes;
  private final String what;
  private @Nullable String database;
  private KeyBounds keys = KeyBounds.ALL;
  private long entries = UNKNOWN;
  private long maxSequence = Trailer.MAX_SEQUENCE;
  private long doubtful = UNKNOWN;

  /** A key of the range that has lost no newer version; null when there is none. */
  private byte @Nullable [] certainKey;

  Loss(Path file, long offset, long bytes, String what) {
    this.file = file;
    this.offset = offset;
    this.bytes = bytes;
    this.what = what;
  }

  /** Sets the approximate number of lost entries. */
  Loss entries(long count) {
    entries = count;
    return this;
  }

  /** Sets the range of keys of the lost entries, and their largest possible sequence number. */
  Loss keys(String inDatabase, KeyBounds range, long largestSequence) {
    database = inDatabase;
    keys = range;
    maxSequence = largestSequence;
    doubtful = 0;
    return this;
  }

  /** Sets a key of the range that can have lost only versions older than those found. */
  Loss certain(byte @Nullable [] key) {
    certainKey = key;
    return this;
  }

  @Nullable String database() {
    return database;
  }

  KeyBounds keys() {
    return keys;
  }

  /** Counts an entry that lies in the range, if it may be older than one that was lost. */
  void rescued(byte[] array, int offset, int length, long sequence) {
    boolean isCertain =
        certainKey != null
            && Bytes.compare(array, offset, length, certainKey, 0, certainKey.length) == 0;
    if (sequence < maxSequence && !isCertain) {
      doubtful++;
    }
  }

  LostPiece toPiece() {
    return new LostPiece(
        file, offset, bytes, what, database, keys.from(), keys.to(), entries, doubtful);
  }
}
