/**
 * Data, operations and expected answers: entries are functions of their numbers, so that every
 * answer of a store can be checked without a second copy of the data. Start with {@link
 * io.sifr.bench.workload.Dataset}; {@link io.sifr.bench.workload.Workload} lists the mixes of
 * operations, {@link io.sifr.bench.workload.Client} performs and checks them.
 */
@NullMarked
package io.sifr.bench.workload;

import org.jspecify.annotations.NullMarked;
