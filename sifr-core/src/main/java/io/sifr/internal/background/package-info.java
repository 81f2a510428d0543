/**
 * The works in the background, wired by {@link io.sifr.internal.background.Background}: {@code
 * FlushSchedule} and {@code CompactionSchedule} decide when flushes and merges run and on which
 * thread; {@code FlushRun} and {@code CompactionRun} are one of them from beginning to end; {@code
 * Commits} makes what they have done durable and then visible; {@link
 * io.sifr.internal.background.Reclaiming} deletes files once nobody reads them.
 *
 * <p>All schedules share one {@code WorkMonitor}. Threads that hold it may take the commit lock,
 * but not the write lock.
 */
@NullMarked
package io.sifr.internal.background;

import org.jspecify.annotations.NullMarked;
