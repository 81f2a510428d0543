/** The store as its users see it. */
@NullMarked
package io.sifr;

import org.jspecify.annotations.NullMarked;
