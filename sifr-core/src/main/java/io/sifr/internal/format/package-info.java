/**
 * What all files have in common: names, checksums, and the header with magic, kind, format version
 * and unique id; and the frames of the records of log and manifest.
 *
 * <p>Fixed-width integers are big-endian in every file. May use {@code entry}, {@code io}, {@code
 * util}, {@code error}.
 */
@NullMarked
package io.sifr.internal.format;

import org.jspecify.annotations.NullMarked;
