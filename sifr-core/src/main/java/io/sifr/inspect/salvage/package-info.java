/**
 * Copies what is intact of a damaged store into a new one, and reports what is lost: {@link
 * io.sifr.inspect.salvage.Salvage}.
 */
@NullMarked
package io.sifr.inspect.salvage;

import org.jspecify.annotations.NullMarked;
