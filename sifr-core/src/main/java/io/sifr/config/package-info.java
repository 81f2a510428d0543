/** What a user tunes: checked, immutable values. */
@NullMarked
package io.sifr.config;

import org.jspecify.annotations.NullMarked;
