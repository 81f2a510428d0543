/**
 * The sorted buffer of recent writes in memory. Start with {@link
 * io.sifr.internal.memtable.Memtable}; below it are the tree as readers see it ({@code EntryTree}),
 * its writer ({@code TreeWriter}), and the arrays that both use ({@code EntryArena}, {@code
 * NodeArena}).
 *
 * <p>One writer at a time, under the store's write lock; readers need none. May use {@code entry}
 * and {@code util}.
 */
@NullMarked
package io.sifr.internal.memtable;

import org.jspecify.annotations.NullMarked;
