/**
 * Wires the parts into a store and governs its life: {@code Opening} opens and recovers, {@link
 * io.sifr.internal.engine.StoreEngine} is what is open, {@code Closing} closes it in order. {@code
 * WritePath} puts batches into log and memtables; {@code ReadPath} answers point queries; {@code
 * CursorHandle} is what a cursor does.
 *
 * <p>Locks, in the order they may be taken: the write lock ({@code WriteOrder}: sequence numbers,
 * log, active memtables), then the monitor of the background works ({@code WorkMonitor}), then the
 * commit lock ({@code CatalogStore}: manifest and catalog). Views change by compare-and-set and
 * need none. May use everything below it.
 */
@NullMarked
package io.sifr.internal.engine;

import org.jspecify.annotations.NullMarked;
