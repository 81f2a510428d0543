/**
 * Stores whose files lie on several devices: {@link io.sifr.internal.volume.Volumes} is a file
 * system in which all files of a store seem to be in its directory, although some are in another
 * one. May use {@code io}, {@code format}, {@code util} and {@code error}.
 */
@NullMarked
package io.sifr.internal.volume;

import org.jspecify.annotations.NullMarked;
