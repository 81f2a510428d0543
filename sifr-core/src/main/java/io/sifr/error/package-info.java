/** The exceptions that the store throws. */
@NullMarked
package io.sifr.error;

import org.jspecify.annotations.NullMarked;
