/** Tells Linux what stores of Sifr are about to read, by calls of the C library. */
@NullMarked
package io.sifr.nativereads;

import org.jspecify.annotations.NullMarked;
