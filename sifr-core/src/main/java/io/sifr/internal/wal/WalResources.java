package io.sifr.internal.wal;

import io.sifr.error.StoreFullException;
import io.sifr.internal.resources.SegmentAllowance;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The resources of a log that others may use too.
 *
 * @param executor where segments are prepared ahead; it may refuse, then appends prepare them
 * @param kept which segments may be kept for reuse
 * @param room bytes of the disk that are left for segments and for the flushes of what is written
 *     to them; negative if less is left than there should be
 * @param beforeSync makes durable what records refer to that are in the log already; called before
 *     each sync
 * @param whenPoisoned called when the log is, perhaps under locks of its writer; null: nothing is
 */
public record WalResources(
    Executor executor,
    SegmentAllowance kept,
    LongSupplier room,
    Runnable beforeSync,
    @Nullable Runnable whenPoisoned) {
  /** As above, with a disk that is never full. */
  public WalResources(Executor executor, SegmentAllowance kept) {
    this(executor, kept, () -> Long.MAX_VALUE, () -> {}, null);
  }

  /** An executor, and no bound on what is kept by all logs together. */
  public WalResources(Executor executor) {
    this(executor, new SegmentAllowance(Long.MAX_VALUE));
  }

  /** The same, with a disk that has only so much room. */
  public WalResources withRoom(LongSupplier left) {
    return new WalResources(executor, kept, left, beforeSync, whenPoisoned);
  }

  /** The same, of a log whose records refer to something outside of it. */
  public WalResources withBeforeSync(Runnable sync) {
    return new WalResources(executor, kept, room, sync, whenPoisoned);
  }

  /** The same, of a log about which somebody is told when it is poisoned. */
  public WalResources withWhenPoisoned(@Nullable Runnable told) {
    return new WalResources(executor, kept, room, beforeSync, told);
  }

  /** There is no room left in a directory. */
  public static StoreFullException noRoom(Path directory) {
    return new StoreFullException(
        directory,
        "write to",
        new IOException("the space that is left is kept for flushes, compactions and deletes"));
  }
}
