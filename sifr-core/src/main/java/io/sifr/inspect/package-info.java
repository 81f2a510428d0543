/**
 * Read-only tools for stores that are not open: {@link io.sifr.inspect.check} reads a whole store
 * and reports what is wrong, {@link io.sifr.inspect.dump} shows one file piece by piece, {@link
 * io.sifr.inspect.salvage} copies what is intact into a new store. This package contains what they
 * share.
 */
@NullMarked
package io.sifr.inspect;

import org.jspecify.annotations.NullMarked;
