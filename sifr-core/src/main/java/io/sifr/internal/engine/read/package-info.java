/** Answers point queries, cursors and estimates of ranges. */
@NullMarked
package io.sifr.internal.engine.read;

import org.jspecify.annotations.NullMarked;
