/**
 * The split forest as immutable data (TPDS §4): stages hold logical trees, a tree is a global index
 * over SSTs of disjoint key ranges, and edits lead from one forest to the next. There is no I/O
 * here, so policies and edits are tested with drawn forests, without files. May use {@code sst} and
 * what lies below it.
 *
 * <p>Begin with {@link io.sifr.internal.forest.Forest}; {@link io.sifr.internal.forest.Catalog}
 * holds the forests of all databases of a store.
 */
@NullMarked
package io.sifr.internal.forest;

import org.jspecify.annotations.NullMarked;
