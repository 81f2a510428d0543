/**
 * Wires the parts into a store and governs its life: {@link io.sifr.internal.engine.StoreEngine}
 * opens, recovers and closes; {@code WritePath} puts batches into log and memtables; {@code
 * ReadPath} answers point queries; {@code CursorHandle} leads a cursor.
 *
 * <p>Locks, in the order they may be taken: the write lock ({@code WritePath}: sequence numbers,
 * log, active memtables), then the background's monitor, then the commit lock ({@code
 * CatalogStore}: manifest and catalog). Views change by compare-and-set and need none. May use
 * everything below it.
 */
@NullMarked
package io.sifr.internal.engine;

import org.jspecify.annotations.NullMarked;
