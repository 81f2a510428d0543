/**
 * Finds keys in a view: the point query in all its schemes (TPDS §4.2, SoCC §4.3), the query for
 * many keys, and the iterator behind cursors. Begin with {@link
 * io.sifr.internal.search.PointSearch}; {@code Query} is what several threads do together, {@code
 * SearchPlan} what makes the schemes differ, {@code AdaptivePolicy} what the default one decides.
 * {@code Searchers} owns the search threads, of which each store has its own.
 *
 * <p>No lock is held while something is searched. May use {@code view}, {@code forest}, {@code
 * memtable}, {@code sst} and what lies below them; the sibling {@code compaction} is none of its
 * business.
 */
@NullMarked
package io.sifr.internal.search;

import org.jspecify.annotations.NullMarked;
