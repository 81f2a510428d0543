package io.sifr.internal.view;

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
}
