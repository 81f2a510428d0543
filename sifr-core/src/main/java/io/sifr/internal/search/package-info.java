/**
 * Finds keys in a view: the point query, asking place after place by priority ({@code SERIAL}, the
 * traditional way of TPDS §4.2), and the iterator behind cursors. May use {@code view}, {@code
 * forest}, {@code memtable}, {@code sst} and what lies below them; the sibling {@code compaction}
 * is none of its business.
 */
@NullMarked
package io.sifr.internal.search;

import org.jspecify.annotations.NullMarked;
