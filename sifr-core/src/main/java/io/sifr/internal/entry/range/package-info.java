/**
 * Key ranges whose older entries are deleted: {@link io.sifr.internal.entry.range.RangeTombstones},
 * by a range delete, and {@link io.sifr.internal.entry.range.DeadSpans}, key by key, as cursors
 * have found. Each is a {@link io.sifr.internal.entry.range.TombstonePlace}: for a key it says what
 * covers that, and for which neighbours this holds as well.
 *
 * <p>Knows keys and sequence numbers, no entries. May use {@code util} and {@code error}.
 */
@NullMarked
package io.sifr.internal.entry.range;

import org.jspecify.annotations.NullMarked;
