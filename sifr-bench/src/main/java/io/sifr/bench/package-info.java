/** Benchmarks of the store. */
@NullMarked
package io.sifr.bench;

import org.jspecify.annotations.NullMarked;
