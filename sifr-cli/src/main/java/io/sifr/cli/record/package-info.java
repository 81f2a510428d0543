/**
 * Entries as text: how keys and values become lines of TSV, CSV or JSON, and back, byte for byte.
 *
 * <p>{@link io.sifr.cli.record.RecordLayout} creates the readers and writers; {@link
 * io.sifr.cli.record.TextBytes} has the escapes they share. Uses no other package.
 */
@NullMarked
package io.sifr.cli.record;

import org.jspecify.annotations.NullMarked;
