/**
 * Looks into stores that are not open: {@code StoreCheck} reads everything and reports what is
 * wrong, {@code FileDump} shows one file record by record. Nothing here ever writes.
 */
@NullMarked
package io.sifr.inspect;

import org.jspecify.annotations.NullMarked;
