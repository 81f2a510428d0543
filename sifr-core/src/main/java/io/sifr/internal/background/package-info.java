/**
 * Background work beside compactions: {@code FlushSchedule} decides when flushes run, {@code
 * FlushRun} is a single one from beginning to end; {@code Commits} makes the results of flushes and
 * compactions durable and then visible; {@link io.sifr.internal.background.ObsoleteFiles} deletes
 * files once they are no longer read; {@code BackgroundCheck} verifies SSTs.
 *
 * <p>All schedules share one {@code WorkMonitor}. Threads that hold it may take the commit lock,
 * but not the write lock.
 */
@NullMarked
package io.sifr.internal.background;

import org.jspecify.annotations.NullMarked;
