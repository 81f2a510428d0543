/**
 * What an open store is ({@link io.sifr.internal.state.StoreState}): whether it is open ({@link
 * io.sifr.internal.state.Lifecycle}), whether it may still write ({@link
 * io.sifr.internal.state.Failure}), the order of its writes, its databases, the catalog of their
 * forests, which {@link io.sifr.internal.state.CatalogStore} makes durable and then visible, the
 * life of its log, and what it counts.
 */
@NullMarked
package io.sifr.internal.state;

import org.jspecify.annotations.NullMarked;
