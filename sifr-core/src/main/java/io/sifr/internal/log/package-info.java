/**
 * Checksummed framing of records, shared by the write-ahead log and the forest manifest. May use
 * {@code format} and the packages below it.
 */
@NullMarked
package io.sifr.internal.log;

import org.jspecify.annotations.NullMarked;
