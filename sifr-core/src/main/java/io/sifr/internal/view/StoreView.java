package io.sifr.internal.view;

import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Forest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

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

  /**
   * The newest view of a database. Readers load it once per operation; the writer, flushes and
   * compactions each replace their part of it by compare-and-set, so none of them waits for
   * another.
   */
  public static final class Holder {
    private static final AtomicReferenceFieldUpdater<Holder, StoreView> NEWEST =
        AtomicReferenceFieldUpdater.newUpdater(Holder.class, StoreView.class, "newest");

    private volatile StoreView newest;

    private final AtomicInteger followers = new AtomicInteger();

    /** Creates a holder with an initial view. */
    public Holder(StoreView first) {
      newest = first;
    }

    /** The newest view. */
    public StoreView get() {
      return newest;
    }

    /**
     * Replaces the newest view by the result of {@code change}, which may be called more than once.
     */
    public void update(UnaryOperator<StoreView> change) {
      NEWEST.updateAndGet(this, change);
    }

    /**
     * Begins to follow the writes: from now until {@link #endFollowing} each active buffer that is
     * replaced leads to its successor. So who loads a view after this call has, with the active
     * buffer of that view, all that is written later, even what was flushed in between.
     *
     * <p>Buffers lead to each other only while somebody follows: otherwise one that is garbage
     * could keep all later ones alive until the whole heap is collected.
     */
    public void beginFollowing() {
      followers.incrementAndGet(); // before the view is loaded: else a successor could be missed
    }

    /** Ends what {@link #beginFollowing} has begun. */
    public void endFollowing() {
      followers.decrementAndGet();
    }

    /**
     * Makes a buffer lead to the one that has replaced it, if somebody follows. Called under the
     * write lock, after the view was changed.
     */
    public void replaced(WriteBuffer before, WriteBuffer fresh) {
      if (followers.get() > 0) {
        before.replacedBy(fresh);
      }
    }
  }
}
