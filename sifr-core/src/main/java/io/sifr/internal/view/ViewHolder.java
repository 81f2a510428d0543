package io.sifr.internal.view;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

/**
 * The newest view of a database. Readers load it once per operation; the writer, flushes and
 * compactions each replace their part of it by compare-and-set, so none of them waits for another.
 */
public final class ViewHolder {
  private static final AtomicReferenceFieldUpdater<ViewHolder, StoreView> NEWEST =
      AtomicReferenceFieldUpdater.newUpdater(ViewHolder.class, StoreView.class, "newest");

  private volatile StoreView newest;

  private final AtomicInteger followers = new AtomicInteger();

  /** Creates a holder with an initial view. */
  public ViewHolder(StoreView first) {
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
   * <p>Buffers lead to each other only while somebody follows: otherwise one that is garbage could
   * keep all later ones alive until the whole heap is collected.
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
