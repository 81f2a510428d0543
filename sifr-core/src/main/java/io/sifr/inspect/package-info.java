/**
 * Looks into stores that are not open, and changes none: {@link io.sifr.inspect.check} reads a
 * whole store and reports what is wrong, {@link io.sifr.inspect.dump} shows one file piece by
 * piece, {@link io.sifr.inspect.salvage} copies what is whole into a new store. Here is what they
 * share.
 */
@NullMarked
package io.sifr.inspect;

import org.jspecify.annotations.NullMarked;
