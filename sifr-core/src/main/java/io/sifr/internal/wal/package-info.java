/**
 * The write-ahead log: mapped, zero-filled, recycled segments; group commit; replay. May use {@code
 * log}, {@code format}, {@code entry} and what lies below them. Begin with {@code WalWriter} and
 * {@code WalReplay}.
 */
@NullMarked
package io.sifr.internal.wal;

import org.jspecify.annotations.NullMarked;
