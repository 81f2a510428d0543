/**
 * What a program can give to a store when it opens it, to be called by the store: {@link
 * io.sifr.spi.MergeOperator}. Implementations are called by many threads.
 */
@NullMarked
package io.sifr.spi;

import org.jspecify.annotations.NullMarked;
