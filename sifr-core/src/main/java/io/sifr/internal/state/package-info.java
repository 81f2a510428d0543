/**
 * What an open store is: whether it is open ({@link io.sifr.internal.state.Lifecycle}), whether it
 * may still write ({@link io.sifr.internal.state.Failure}), its databases, the catalog of their
 * forests, which {@link io.sifr.internal.state.CatalogStore} makes durable and then visible, and
 * what it counts.
 */
@NullMarked
package io.sifr.internal.state;

import org.jspecify.annotations.NullMarked;
