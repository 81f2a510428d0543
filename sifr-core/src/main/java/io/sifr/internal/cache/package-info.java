/**
 * Pooled block memory off the heap, in multiples of a page as direct I/O needs it, and the bounded
 * cache of what is used most of SSTs: blocks, parts of indexes, pages of filters. Independent of
 * SSTs: a block is a number in a table. Start with {@link io.sifr.internal.cache.SharedCache}.
 */
@NullMarked
package io.sifr.internal.cache;

import org.jspecify.annotations.NullMarked;
