/**
 * What is stored, asked and expected: entries that follow from their number, so that every answer
 * of a store can be judged without keeping a second copy of the data. Begin reading at {@link
 * io.sifr.bench.workload.Dataset}; {@link io.sifr.bench.workload.Workload} lists the mixes of
 * operations, {@link io.sifr.bench.workload.Client} performs and judges them.
 */
@NullMarked
package io.sifr.bench.workload;

import org.jspecify.annotations.NullMarked;
