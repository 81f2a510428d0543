/** The sorted buffer of recent writes in memory. May use {@code entry} and {@code util}. */
@NullMarked
package io.sifr.internal.memtable;

import org.jspecify.annotations.NullMarked;
