/**
 * SST-level filters and the file they are kept in (TPDS §4.1): for each SST a blocked Bloom filter
 * over its distinct user keys, in memory or in a bounded cache. May use {@code format} and what
 * lies below it.
 *
 * <p>All of it is derived data: what is missing or damaged means "may hold", and is made again from
 * the SST.
 */
@NullMarked
package io.sifr.internal.filter;

import org.jspecify.annotations.NullMarked;
