/**
 * Several stores side by side: the same workloads, each store in a JVM of its own, in rounds that
 * take turns, so that whatever else the machine does hits all of them. What counts are ratios
 * within a round. Begin reading at {@link io.sifr.bench.compare.Comparison}.
 */
@NullMarked
package io.sifr.bench.compare;

import org.jspecify.annotations.NullMarked;
