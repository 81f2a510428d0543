/**
 * Background work, wired by {@link io.sifr.internal.background.Background}: {@code FlushSchedule}
 * and {@code CompactionSchedule} decide when flushes and compactions run and on which thread;
 * {@code FlushRun} and {@code CompactionRun} are a single one from beginning to end; {@code
 * Commits} makes their results durable and then visible; {@link
 * io.sifr.internal.background.ObsoleteFiles} deletes files once they are no longer read.
 *
 * <p>All schedules share one {@code WorkMonitor}. Threads that hold it may take the commit lock,
 * but not the write lock.
 */
@NullMarked
package io.sifr.internal.background;

import org.jspecify.annotations.NullMarked;
