/**
 * Entries as text: how keys and values become lines of TSV, CSV or JSON, and back, byte for byte.
 *
 * <p>{@link io.sifr.cli.record.RecordLayout} makes the readers and writers; {@link
 * io.sifr.cli.record.TextBytes} holds the escapes they share. Uses nothing of the other packages.
 */
@NullMarked
package io.sifr.cli.record;

import org.jspecify.annotations.NullMarked;
