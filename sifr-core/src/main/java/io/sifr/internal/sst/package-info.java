/**
 * Sorted, immutable files of about one split unit: writer, reader, blocks, index, metadata (TPDS
 * §4.1; aligned storage, §5.2). May use {@code format}, {@code entry}, {@code io}, {@code cache},
 * {@code filter} and what lies below them.
 */
@NullMarked
package io.sifr.internal.sst;

import org.jspecify.annotations.NullMarked;
