/**
 * Interfaces that a program implements for the library: a {@link io.sifr.spi.MergeOperator} for a
 * store that is opened, a {@link io.sifr.spi.Codec} for the keys and values of a map, a {@link
 * io.sifr.spi.BackupStorage} for its backups. Implementations are called by many threads.
 */
@NullMarked
package io.sifr.spi;

import org.jspecify.annotations.NullMarked;
