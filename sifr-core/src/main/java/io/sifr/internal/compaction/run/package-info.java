/**
 * Runs compactions: when, on which threads and how fast. {@code CompactionQueue} has those that are
 * due, {@code CompactionSchedule} begins them, {@code Pace} says how fast they go on, {@code
 * CompactionRun} is a single one from beginning to end, {@code RequestedCompaction} those that
 * callers ask for. {@link io.sifr.internal.compaction.run.Background} wires them to flushes and
 * checks.
 */
@NullMarked
package io.sifr.internal.compaction.run;

import org.jspecify.annotations.NullMarked;
