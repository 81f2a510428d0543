/**
 * The sorted buffer of recent writes in memory: begin with {@link
 * io.sifr.internal.memtable.Memtable}. Below it lie the tree as readers see it ({@code EntryTree}),
 * what changes it ({@code TreeWriter}), and the arrays behind both ({@code EntryArena}, {@code
 * NodeArena}).
 *
 * <p>One writer at a time, under the store's write lock; readers need none. May use {@code entry}
 * and {@code util}.
 */
@NullMarked
package io.sifr.internal.memtable;

import org.jspecify.annotations.NullMarked;
