package io.sifr.internal.view;

import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Forest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * All sources that may hold an entry of one database at one moment, by priority: the active write
 * buffer, the full ones that wait for their flush (newest first), the forest. Immutable, except
 * that the writer adds to the active buffer.
 *
 * @param active receives the writes
 * @param immutables full buffers, newest first
 * @param forest what is on disk
 * @param kinds what entries mean in this database
 */
public record StoreView(
    WriteBuffer active, List<WriteBuffer> immutables, Forest forest, EntryKinds kinds) {
  /** As above, of a database without options. */
  public StoreView(WriteBuffer active, List<WriteBuffer> immutables, Forest forest) {
    this(active, immutables, forest, EntryKinds.STANDARD);
  }

  /** Makes an immutable copy. */
  public StoreView {
    immutables = List.copyOf(immutables);
  }

  /** The oldest log segment that a write buffer needs, or {@link WriteBuffer#NO_SEGMENT}. */
  public long firstSegment() {
    return firstSegmentWithout(Set.of());
  }

  /** The same, if some immutable buffers are not counted. */
  public long firstSegmentWithout(Set<WriteBuffer> flushed) {
    long first = active.firstSegment();
    for (WriteBuffer buffer : immutables) {
      if (!flushed.contains(buffer)) {
        first = Math.min(first, buffer.firstSegment());
      }
    }
    return first;
  }

  /**
   * This view with {@code fresh} as its active buffer; the present one becomes immutable and waits
   * for its flush.
   */
  public StoreView rotated(WriteBuffer fresh) {
    List<WriteBuffer> waiting = new ArrayList<>(immutables.size() + 1);
    waiting.add(active);
    waiting.addAll(immutables);
    return new StoreView(fresh, waiting, forest, kinds);
  }

  /** This view with another active buffer; the present one is empty. */
  public StoreView withActive(WriteBuffer fresh) {
    return new StoreView(fresh, immutables, forest, kinds);
  }

  /** This view after the options of the database have changed. */
  public StoreView withOptions(Forest changed, EntryKinds meaning) {
    changed.prepareLike(forest);
    return new StoreView(active, immutables, changed, meaning);
  }

  /** This view with another forest. */
  public StoreView withForest(Forest changed) {
    changed.prepareLike(forest);
    return new StoreView(active, immutables, changed, kinds);
  }

  /**
   * This view without a buffer that the changed forest now holds: both change in one step, or a
   * reader would miss it.
   */
  public StoreView flushed(WriteBuffer buffer, Forest changed) {
    changed.prepareLike(forest);
    List<WriteBuffer> waiting = new ArrayList<>(immutables);
    waiting.remove(buffer);
    return new StoreView(active, waiting, changed, kinds);
  }
}
