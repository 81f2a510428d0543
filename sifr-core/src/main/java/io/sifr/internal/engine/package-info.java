/**
 * Wires the parts into a store and manages its life cycle: {@code Opening} opens and recovers it,
 * {@link io.sifr.internal.engine.StoreEngine} is the open store, {@code Closing} closes it in
 * order.
 *
 * <p>Locks, in the order they may be taken: the write lock ({@code WriteOrder}: sequence numbers,
 * log, active memtables), then the monitor of the background work ({@code WorkMonitor}), then the
 * commit lock ({@code CatalogStore}: manifest and catalog). Views change by compare-and-set and
 * need none. May use everything below it.
 */
@NullMarked
package io.sifr.internal.engine;

import org.jspecify.annotations.NullMarked;
