/**
 * A Sifr store as a bean of Quarkus: a program injects an {@code io.sifr.Store} and needs nothing
 * of this package; the properties {@code sifr.…} say which store is opened. May use only the public
 * packages of the store.
 */
@NullMarked
package io.sifr.quarkus;

import org.jspecify.annotations.NullMarked;
