/**
 * The state of an open store ({@link io.sifr.internal.state.StoreState}): whether it is open
 * ({@link io.sifr.internal.state.Lifecycle}), whether it may still write ({@link
 * io.sifr.internal.util.Failures.FirstFailure}), the order of its writes, its databases, the
 * catalog of their forests, which {@link io.sifr.internal.state.CatalogStore} makes durable and
 * then visible, the life cycle of its log, and its counters.
 */
@NullMarked
package io.sifr.internal.state;

import org.jspecify.annotations.NullMarked;
