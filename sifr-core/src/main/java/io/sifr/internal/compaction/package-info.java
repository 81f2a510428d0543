/**
 * Flushes and compactions: which trees are merged ({@link
 * io.sifr.internal.compaction.CompactionPolicy}), which of their SSTs are moved and which rewritten
 * ({@code StepPlanner}), where a flush is cut ({@code FlushCutter}), and the tasks themselves
 * ({@link io.sifr.internal.compaction.FlushTask}, {@link io.sifr.internal.compaction.PartTask}).
 *
 * <p>A task only makes files and reports them; the caller commits them to the manifest and
 * publishes the view. May use {@code forest}, {@code memtable}, {@code sst} and what lies below
 * them; never {@code view} or {@code search}.
 */
@NullMarked
package io.sifr.internal.compaction;

import org.jspecify.annotations.NullMarked;
