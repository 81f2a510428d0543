/** Open SSTs: point searches, iterators and runs of them, and how their blocks come into memory. */
@NullMarked
package io.sifr.internal.sst.read;

import org.jspecify.annotations.NullMarked;
