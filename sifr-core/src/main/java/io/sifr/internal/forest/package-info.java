/**
 * The split forest as immutable data (TPDS §4): stages hold logical trees, a tree is a global index
 * over SSTs of disjoint key ranges, and edits lead from one forest to the next. No I/O happens
 * here, so that policies and edits are tested with drawn forests and no files at all. May use
 * {@code sst} and what lies below it.
 *
 * <p>Begin with {@link io.sifr.internal.forest.Forest}; {@link io.sifr.internal.forest.Catalog}
 * holds the forests of all databases of a store.
 */
@NullMarked
package io.sifr.internal.forest;

import org.jspecify.annotations.NullMarked;
