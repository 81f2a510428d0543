/**
 * Comparison of several stores: the same workloads, each store in a JVM of its own, in rounds, so
 * that other load of the machine affects all of them. The meaningful figures are ratios within a
 * round. Start with {@link io.sifr.bench.compare.Comparison}.
 */
@NullMarked
package io.sifr.bench.compare;

import org.jspecify.annotations.NullMarked;
