/**
 * Decides which trees are compacted. A {@link io.sifr.internal.compaction.pick.CompactionPicker} is
 * a list of {@link io.sifr.internal.compaction.pick.Rule}s, each of which looks at a {@link
 * io.sifr.internal.compaction.pick.Picture} and gives {@link
 * io.sifr.internal.compaction.pick.Rule.Proposal}s; {@link
 * io.sifr.internal.compaction.pick.Priority} says which of these goes first and how it runs. Pure:
 * no thread, clock, lock or file.
 */
@NullMarked
package io.sifr.internal.compaction.pick;

import org.jspecify.annotations.NullMarked;
