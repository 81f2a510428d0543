/**
 * Microbenchmarks of the store's parts, one class per topic, and of the limits of the machine
 * ({@link io.sifr.bench.micro.LimitsBenchmark}), to which the parts are compared. {@link
 * io.sifr.bench.micro.MicroBenchmarks} runs them.
 *
 * <p>All entries have the shape the SifrDB papers measure with and come from {@link
 * io.sifr.bench.micro.Entries}; the arguments of a benchmark are created beforehand and taken from
 * a {@link io.sifr.bench.micro.Cycle}. Files are in a {@link io.sifr.bench.micro.ScratchDirectory},
 * so {@code -Djava.io.tmpdir} chooses the disk.
 */
@NullMarked
package io.sifr.bench.micro;

import org.jspecify.annotations.NullMarked;
