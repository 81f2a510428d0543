/** Reads a whole store and reports what is wrong: {@link io.sifr.inspect.check.StoreCheck}. */
@NullMarked
package io.sifr.inspect.check;

import org.jspecify.annotations.NullMarked;
