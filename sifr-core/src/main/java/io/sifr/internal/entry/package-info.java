/**
 * What is stored: a user key, the sequence number of the write, its kind, and the value; and how
 * entries are ordered, walked and merged.
 *
 * <p>What a kind means is said here alone: {@link io.sifr.internal.entry.EntryKind} defines one,
 * {@link io.sifr.internal.entry.EntryKinds} lists those of a store, {@link
 * io.sifr.internal.entry.Resolution} finds out what the versions of a key come to. All else carries
 * kinds as numbers.
 *
 * <p>Internal order (as in LevelDB): user key ascending, unsigned byte by byte; for one user key
 * the sequence number descending, so the newest version comes first. May use {@code util} and
 * {@code error}. Nothing here is thread-safe unless it says so. Begin with {@link
 * io.sifr.internal.entry.EntryIterator}.
 */
@NullMarked
package io.sifr.internal.entry;

import org.jspecify.annotations.NullMarked;
