/**
 * The write-ahead log: mapped, zero-filled, recycled segments; group commit; replay. The format is
 * described byte by byte in {@code src-docs/format/wal.md}.
 *
 * <p>Threads: {@code append} and {@code close} are called with the store's write lock held;
 * everything else may be called by any thread. The log has locks of its own, none of which is held
 * while the write lock is acquired: that of the {@link io.sifr.internal.wal.SegmentSupply} (a
 * segment being prepared), that of {@link io.sifr.internal.wal.GroupCommit} (the syncing thread and
 * the waiting ones), that of {@link io.sifr.internal.wal.GroupCommit.LiveSegments} (the list of
 * segments), the monitor of each {@link io.sifr.internal.wal.WalSegment} (no unmapping during a
 * sync), and that of each {@link io.sifr.internal.wal.SegmentStorage.Written} (one write at a
 * time).
 *
 * <p>May use {@code log}, {@code format}, {@code entry} and what lies below them. Start with {@link
 * io.sifr.internal.wal.WalWriter} and {@link io.sifr.internal.wal.WalReplay}.
 */
@NullMarked
package io.sifr.internal.wal;

import org.jspecify.annotations.NullMarked;
