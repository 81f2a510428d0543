/**
 * The cuts between SSTs: the steps of a compaction ({@code StepPlanner}), the cuts of a flush
 * ({@code FlushCutter}) and of a compaction's output ({@code OutputCuts}), the parts that threads
 * compact side by side ({@code Cuts}). Pure: nothing here reads or writes an entry.
 */
@NullMarked
package io.sifr.internal.compaction.cut;

import org.jspecify.annotations.NullMarked;
