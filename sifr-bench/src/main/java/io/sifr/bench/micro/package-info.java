/**
 * Microbenchmarks of the store's parts, one class a topic, and beside them what the machine itself
 * can do ({@link io.sifr.bench.micro.LimitsBenchmark}): a part is as fast as it can be when it
 * comes near to that. {@link io.sifr.bench.micro.MicroBenchmarks} runs them.
 *
 * <p>All entries have the shape the SifrDB papers measure with and come from {@link
 * io.sifr.bench.micro.Entries}; what a benchmark asks for is made beforehand and taken from a
 * {@link io.sifr.bench.micro.Cycle}. Files lie in a {@link io.sifr.bench.micro.ScratchDirectory},
 * so {@code -Djava.io.tmpdir} chooses the disk.
 *
 * <p>The benchmark of the hand-over between search threads comes with that part.
 */
@NullMarked
package io.sifr.bench.micro;

import org.jspecify.annotations.NullMarked;
