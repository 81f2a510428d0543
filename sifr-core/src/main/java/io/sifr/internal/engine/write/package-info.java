/** Writes batches to the log and to the memtables, and holds writers back. */
@NullMarked
package io.sifr.internal.engine.write;

import org.jspecify.annotations.NullMarked;
