/**
 * Finds keys in a view: the point query in all its schemes (TPDS §4.2, SoCC §4.3), the query for
 * many keys, and the iterator of cursors. Start with {@link io.sifr.internal.search.PointSearch};
 * {@code Query} is a point query that several threads share, a {@code SearchPlan} defines a scheme,
 * and {@code AdaptivePolicy} decides for the default one. {@code Searchers} owns the search threads
 * of a store.
 *
 * <p>No lock is held during a search. May use {@code view}, {@code forest}, {@code memtable},
 * {@code sst} and what lies below them, but not the sibling {@code compaction}.
 */
@NullMarked
package io.sifr.internal.search;

import org.jspecify.annotations.NullMarked;
