/**
 * Blocks in memory of the store's own: page-aligned, off the heap, out of a pool, as direct I/O
 * needs it; and the cache that keeps those used most within a bound. Knows nothing of SSTs: a block
 * is a number in a table. Begin with {@link io.sifr.internal.cache.BlockCache}.
 */
@NullMarked
package io.sifr.internal.cache;

import org.jspecify.annotations.NullMarked;
