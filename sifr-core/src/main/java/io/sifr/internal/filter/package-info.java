/**
 * SST-level filters and the file that holds them (TPDS §4.1): for each SST a blocked Bloom filter
 * of its distinct user keys, in memory or in a bounded cache. May use {@code format} and the
 * packages below it.
 *
 * <p>Filters are derived data: a missing or damaged one answers "may hold", and is rebuilt from the
 * SST.
 */
@NullMarked
package io.sifr.internal.filter;

import org.jspecify.annotations.NullMarked;
