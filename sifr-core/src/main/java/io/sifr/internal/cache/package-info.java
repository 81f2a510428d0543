/**
 * Pooled block memory off the heap, in multiples of a page as direct I/O needs it, and the bounded
 * cache of the most frequently used blocks and parts of indexes. Independent of SSTs: a block is a
 * number in a table. Start with {@link io.sifr.internal.cache.BlockCache}.
 */
@NullMarked
package io.sifr.internal.cache;

import org.jspecify.annotations.NullMarked;
