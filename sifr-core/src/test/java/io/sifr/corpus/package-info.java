/** Stores as released versions have written them, which every later version must be able to use. */
@NullMarked
package io.sifr.corpus;

import org.jspecify.annotations.NullMarked;
