/**
 * What a run costs: time, latencies, bytes read and written by the process, memory, space on disk.
 * Knows nothing of stores and workloads. Begin reading at {@link io.sifr.bench.measure.Sampler}.
 */
@NullMarked
package io.sifr.bench.measure;

import org.jspecify.annotations.NullMarked;
