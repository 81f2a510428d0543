package io.sifr.internal.view;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

/**
 * The newest view of a database. Readers load it once an operation; the writer, flushes and merges
 * each replace their part of it by compare-and-set, so none of them waits for another.
 */
public final class ViewHolder {
  private static final AtomicReferenceFieldUpdater<ViewHolder, StoreView> NEWEST =
      AtomicReferenceFieldUpdater.newUpdater(ViewHolder.class, StoreView.class, "newest");

  private volatile StoreView newest;

  /** Holds a first view. */
  public ViewHolder(StoreView first) {
    newest = first;
  }

  /** The newest view. */
  public StoreView get() {
    return newest;
  }

  /**
   * Replaces the newest view by what {@code change} makes of it; it may be asked more than once.
   */
  public void update(UnaryOperator<StoreView> change) {
    NEWEST.updateAndGet(this, change);
  }
}
