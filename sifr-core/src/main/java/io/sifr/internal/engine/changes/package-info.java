/** Reads the changes of a store from its log. */
@NullMarked
package io.sifr.internal.engine.changes;

import org.jspecify.annotations.NullMarked;
