/**
 * Files with large values, apart from their keys: written by flushes, read by references, deleted
 * when no SST refers to them any more. The format is described in {@code
 * src-docs/format/value-files.md}.
 */
@NullMarked
package io.sifr.internal.value;

import org.jspecify.annotations.NullMarked;
