/**
 * The tasks that write SSTs: of a write buffer ({@link
 * io.sifr.internal.compaction.merge.FlushTask}), of trees that are compacted ({@link
 * io.sifr.internal.compaction.merge.PartTask}), of a bulk load ({@link
 * io.sifr.internal.compaction.merge.LoadTask}).
 *
 * <p>A task only makes files and reports them; the caller commits them to the manifest and
 * publishes the view.
 */
@NullMarked
package io.sifr.internal.compaction.merge;

import org.jspecify.annotations.NullMarked;
