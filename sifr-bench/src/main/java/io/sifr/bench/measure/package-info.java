/**
 * Measures a run: time, latencies, bytes read and written by the process, memory, space on disk.
 * Independent of stores and workloads. Start with {@link io.sifr.bench.measure.Sampler}.
 */
@NullMarked
package io.sifr.bench.measure;

import org.jspecify.annotations.NullMarked;
