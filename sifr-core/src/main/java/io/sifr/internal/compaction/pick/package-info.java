/**
 * Which trees are compacted: policies ({@link io.sifr.internal.compaction.pick.CompactionPolicy})
 * and what is compacted whatever the policy. Pure: what is decided depends on a forest and on
 * numbers that the caller passes.
 */
@NullMarked
package io.sifr.internal.compaction.pick;

import org.jspecify.annotations.NullMarked;
