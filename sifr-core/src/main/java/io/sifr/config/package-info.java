/**
 * What a user tunes: checked, immutable values. Every option says what grows and what it costs when
 * it is turned up. Each setting of a store is one line of the table in {@link
 * io.sifr.config.StoreOptions}, from which programs and documents take theirs.
 */
@NullMarked
package io.sifr.config;

import org.jspecify.annotations.NullMarked;
