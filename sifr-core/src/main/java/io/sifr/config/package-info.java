/**
 * What a user tunes: checked, immutable values. Every option says what grows and what it costs when
 * it is turned up.
 */
@NullMarked
package io.sifr.config;

import org.jspecify.annotations.NullMarked;
