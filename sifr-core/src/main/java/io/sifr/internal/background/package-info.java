/**
 * The works in the background: {@link io.sifr.internal.background.Background} decides when flushes
 * and merges run and on which thread; {@code BackgroundWork} does one of them from beginning to
 * end; {@code MergeJournal} commits what a merge has done; {@link
 * io.sifr.internal.background.Graveyard} deletes files once nobody reads them.
 */
@NullMarked
package io.sifr.internal.background;

import org.jspecify.annotations.NullMarked;
