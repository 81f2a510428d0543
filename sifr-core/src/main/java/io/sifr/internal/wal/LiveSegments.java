package io.sifr.internal.wal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The segments that are still needed, oldest first; the last one is being appended to. Thread-safe.
 */
final class LiveSegments {
  private final Deque<WalSegment> segments = new ArrayDeque<>(); // guarded by this

  /** Adds the segment that is appended to from now on. */
  synchronized void add(WalSegment segment) {
    segments.addLast(segment);
  }

  /** A copy of the current list. */
  synchronized List<WalSegment> all() {
    return List.copyOf(segments);
  }

  /** Removes those with a smaller number, but never the last. */
  synchronized List<WalSegment> removeBefore(long number) {
    List<WalSegment> removed = new ArrayList<>();
    while (segments.size() > 1 && segments.getFirst().number() < number) {
      removed.add(segments.removeFirst());
    }
    return removed;
  }
}
