package io.sifr.infinispan;

import io.sifr.Cursor;
import java.util.BitSet;
import java.util.function.IntConsumer;
import org.infinispan.commons.util.IntSet;

/**
 * The entries of segments in the order of their keys, as they were when it was made. It passes
 * segments that are not wanted without reading them. Not thread-safe.
 */
final class SegmentCursor implements AutoCloseable {
  private final Cursor cursor;
  private final BitSet segments = new BitSet();
  private int segment = -1;

  /** A cursor; a later change of the set of segments does not matter. */
  SegmentCursor(Cursor cursor, IntSet segments) {
    this.cursor = cursor;
    // A set of one has its own idea of what the next one is (nextSetBit), so sets are only
    // iterated.
    segments.forEach((IntConsumer) this.segments::set);
  }

  /** Goes to the next entry; false if there is none. */
  boolean next() {
    boolean isFound = segment >= 0 ? cursor.next() : seek(0);
    while (isFound) {
      segment = EntryKeys.segment(cursor.key());
      if (segments.get(segment)) {
        return true;
      }
      isFound = seek(segment);
    }
    return false;
  }

  /** Goes to the first entry of the first wanted segment from a number on. */
  private boolean seek(int from) {
    int wanted = segments.nextSetBit(from);
    return wanted >= 0 && cursor.seek(EntryKeys.beginOf(wanted));
  }

  /** The key of the entry. */
  byte[] key() {
    return EntryKeys.key(cursor.key());
  }

  byte[] value() {
    return cursor.value();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
