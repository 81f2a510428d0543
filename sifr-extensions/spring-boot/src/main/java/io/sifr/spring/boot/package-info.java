/**
 * A Sifr store as a bean of Spring Boot. A program needs nothing of this package but, at most,
 * {@link io.sifr.spring.boot.StoreCustomizer}; the properties {@code sifr.…} say which store is
 * opened. May use only the public packages of the store.
 */
@NullMarked
package io.sifr.spring.boot;

import org.jspecify.annotations.NullMarked;
