/**
 * The common parts of all files: names, checksums, and the header with magic, kind, format version
 * and unique id.
 *
 * <p>Fixed-width integers are big-endian in every file. May use {@code entry}, {@code io}, {@code
 * util}, {@code error}.
 */
@NullMarked
package io.sifr.internal.format;

import org.jspecify.annotations.NullMarked;
