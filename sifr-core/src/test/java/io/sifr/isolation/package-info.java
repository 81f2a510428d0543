/** Histories of concurrent transactions, and what in them contradicts their isolation. */
@NullMarked
package io.sifr.isolation;

import org.jspecify.annotations.NullMarked;
