/**
 * Access to the disk: every byte the store reads or writes passes through {@link
 * io.sifr.internal.io.StoreFileSystem}, mapped memory included, so that tests can lose, tear and
 * fail each of them.
 *
 * <p>Failures are thrown as {@link io.sifr.error.StoreIoException}, a full disk as {@link
 * io.sifr.error.StoreFullException}; they are translated only here. May use {@code util}, {@code
 * event} and {@code error}.
 */
@NullMarked
package io.sifr.internal.io;

import org.jspecify.annotations.NullMarked;
