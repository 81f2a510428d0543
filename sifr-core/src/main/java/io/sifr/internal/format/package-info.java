/**
 * The common parts of all files: names, checksums, the header with magic, kind, format version and
 * unique id, and the frames of the records of log and manifest; and the fields of edits of a
 * manifest.
 *
 * <p>Fixed-width integers are big-endian in every file. May use {@code entry}, {@code io}, {@code
 * codec} and what lies below them.
 */
@NullMarked
package io.sifr.internal.format;

import org.jspecify.annotations.NullMarked;
