/** Indexes that the store keeps: what writes add to them, how they are read, built and cleaned. */
@NullMarked
package io.sifr.internal.engine.index;

import org.jspecify.annotations.NullMarked;
