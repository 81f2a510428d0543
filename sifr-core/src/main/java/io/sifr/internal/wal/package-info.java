/**
 * The write-ahead log: mapped, zero-filled, recycled segments; group commit; replay. The format is
 * told byte by byte in {@code src-docs/format/wal.md}.
 *
 * <p>Threads: {@code append} and {@code close} belong to whoever holds the store's write lock;
 * everything else may be called by any thread. The log has three locks, never held while the write
 * lock is asked for: that of the {@link io.sifr.internal.wal.SegmentSupply} (a segment being
 * prepared), that of {@link io.sifr.internal.wal.GroupCommit} (who syncs and who waits), and the
 * monitor of each {@link io.sifr.internal.wal.WalSegment} (no unmapping under a sync).
 *
 * <p>May use {@code log}, {@code format}, {@code entry} and what lies below them. Begin with {@link
 * io.sifr.internal.wal.WalWriter} and {@link io.sifr.internal.wal.WalReplay}.
 */
@NullMarked
package io.sifr.internal.wal;

import org.jspecify.annotations.NullMarked;
