/**
 * Transactions: what one has written so far and has read, its view of a database with both, and
 * what has to be unchanged when it is committed. They use the engine as a caller does, through
 * snapshots, cursors and batches with conditions.
 */
@NullMarked
package io.sifr.internal.transaction;

import org.jspecify.annotations.NullMarked;
