/**
 * The stores under test behind one small interface, {@link io.sifr.bench.store.BenchStore}; begin
 * reading there. One adapter a store; {@link io.sifr.bench.store.StoreKind} names them all and says
 * which {@link io.sifr.bench.store.Term terms} each one can be held to. Knows nothing of workloads
 * and measurements.
 */
@NullMarked
package io.sifr.bench.store;

import org.jspecify.annotations.NullMarked;
