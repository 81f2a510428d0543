/** Checks, dumps and repairs stores that are not open. */
@NullMarked
package io.sifr.inspect;

import org.jspecify.annotations.NullMarked;
