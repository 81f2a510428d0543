/**
 * The entries of a store: a user key, the sequence number of the write, its kind, and the value;
 * and how entries are ordered, iterated and merged.
 *
 * <p>Only this package knows the meaning of a kind: {@link io.sifr.internal.entry.EntryKind}
 * defines one, {@link io.sifr.internal.entry.EntryKinds} lists those of a store, {@link
 * io.sifr.internal.entry.Resolution} resolves the versions of a key. All other packages treat kinds
 * as numbers.
 *
 * <p>Internal order (as in LevelDB): user key ascending, unsigned byte by byte; for one user key
 * the sequence number descending, so the newest version comes first. May use {@code entry.range},
 * {@code util} and {@code error}. Nothing here is thread-safe unless documented. Start with {@link
 * io.sifr.internal.entry.EntryIterator}.
 */
@NullMarked
package io.sifr.internal.entry;

import org.jspecify.annotations.NullMarked;
