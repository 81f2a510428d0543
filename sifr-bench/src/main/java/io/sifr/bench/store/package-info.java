/**
 * The stores under test with a common interface, {@link io.sifr.bench.store.BenchStore}; start
 * there. There is one adapter per store; {@link io.sifr.bench.store.StoreKind} lists them with the
 * {@link io.sifr.bench.store.Term terms} each one can meet. Independent of workloads and
 * measurements.
 */
@NullMarked
package io.sifr.bench.store;

import org.jspecify.annotations.NullMarked;
