/**
 * Looks into stores that are not open: {@link io.sifr.inspect.StoreCheck} reads everything and
 * reports what is wrong, {@link io.sifr.inspect.FileDump} shows one file piece by piece, {@link
 * io.sifr.inspect.Salvage} rescues what is whole into a new store. Nothing here changes a store.
 */
@NullMarked
package io.sifr.inspect;

import org.jspecify.annotations.NullMarked;
