/**
 * The arithmetic of filters (TPDS §4.1): for each SST a blocked Bloom filter of its distinct user
 * keys, which is stored in the SST itself. May use {@code util} alone.
 */
@NullMarked
package io.sifr.internal.filter;

import org.jspecify.annotations.NullMarked;
