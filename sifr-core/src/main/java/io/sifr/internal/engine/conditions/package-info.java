/** Writes that depend on what a key holds. */
@NullMarked
package io.sifr.internal.engine.conditions;

import org.jspecify.annotations.NullMarked;
